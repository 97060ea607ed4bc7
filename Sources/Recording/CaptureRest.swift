internal import Audio

/// A time for which frames gather in the device before they are read.
struct CaptureRest {
  /// The longest of any device: with the way to the file, about as much as a killed program may lose,
  /// half a second.
  static let longest = Duration.milliseconds(490)

  let length: Duration
  /// The time after which a writer that reads in the capture thread's place is late; nil where it is
  /// not to read.
  private(set) var patience: Duration?

  /// The least part of a device's buffer that is left for a delay of a thread.
  private static var leastReserve: Duration { .milliseconds(100) }

  /// The longest rest that a device's buffer allows; nil for a short one, whose half is too little
  /// for a delay, and for a device that wakes as seldom by itself.
  init?(for source: borrowing some FrameSource & ~Copyable) {
    let rate = source.format.rate
    let buffer = source.capacity.duration(at: rate)
    length = min(Self.longest, buffer / 2)
    guard buffer / 2 >= Self.leastReserve, length > source.period.duration(at: rate) else {
      return nil
    }
    let delay = (buffer - length) / 4
    patience = delay < Self.leastReserve ? nil : length + delay
  }

  /// The same, with the capture thread to read afterwards.
  var alone: CaptureRest {
    var rest = self
    rest.patience = nil
    return rest
  }
}
