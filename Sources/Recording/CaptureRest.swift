internal import Audio

/// A time during which frames gather in the device before they are read.
struct CaptureRest {
  /// The maximum length for any device. With this length and the delay before the frames are in the
  /// file, about half a second of sound may be lost if the program is killed.
  static let longest = Duration.milliseconds(490)

  let length: Duration
  /// The time after which the writer counts as late, if it reads instead of the capture thread. Nil
  /// if the writer must not read.
  private(set) var patience: Duration?

  /// The minimum reserve in a device's buffer for the delay of a thread.
  private static var leastReserve: Duration { .milliseconds(100) }

  /// The longest rest that a device's buffer allows. It is nil if half of the buffer is shorter
  /// than the delay of a thread, or if the device's period is at least as long as the rest.
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

  /// The same rest, but the capture thread reads after it.
  var alone: CaptureRest {
    var rest = self
    rest.patience = nil
    return rest
  }
}
