internal import Audio

/// The end of a recording: the last reports of both of its threads.
package struct RecordingEnd: Hashable, Sendable {
  /// The end of the capture; nil where the writer ended first.
  package var capture: CaptureEnd?
  /// The reason that the writing ended.
  package var write: WriteEnd

  /// The reports of the two threads.
  package init(capture: CaptureEnd?, write: WriteEnd) {
    self.capture = capture
    self.write = write
  }
}

/// The end of the capture of a recording.
package enum CaptureEnd: Hashable, Sendable {
  /// An order stopped it.
  case stopped
  /// The device went away; its last message.
  case disconnected(String)
  /// The device delivered nothing for this long and reported no error.
  case stalled(Duration)
  /// The device cannot be used any more; its message.
  case failed(String)
}

/// The reason that the writing of a take ended.
package enum WriteEnd: Hashable, Sendable {
  /// The capture ended, and all frames that it brought are in the file.
  case captureEnded
  /// An order ended it at a frame.
  case ordered
  /// The take has reached its length.
  case duration
  /// The file has reached its size.
  case size
  /// The silence has lasted as long as asked.
  case silence
  /// The file could not be written; the reason.
  case failed(String)
}

/// The file, or the change of rate before it, failed; nothing more was written.
struct TakeFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  static let stuckConverter = TakeFailure(description: "the rate converter takes no frames")

  private init(description: String) { self.description = description }

  init(_ error: some Error & CustomStringConvertible) { description = error.description }
}

extension StreamCondition {
  /// The cause of the loss, where the stream can be resumed.
  var gap: Gap.Cause? {
    switch self {
    case .xrun: .overrun
    case .suspended: .suspended
    case .disconnected, .failed: nil
    }
  }
}

extension StreamFailure {
  var end: CaptureEnd {
    condition == .disconnected ? .disconnected("\(self)") : .failed("\(self)")
  }
}

extension CaptureEnd {
  var gap: Gap.Cause {
    if case .stalled = self { .stalled } else { .disconnected }
  }
}
