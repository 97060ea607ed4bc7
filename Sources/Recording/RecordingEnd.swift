internal import Audio

/// The end of a recording, as its capture thread and its writer reported it.
package struct RecordingEnd: Hashable, Sendable {
  /// The end of the capture, or nil if the writer ended first.
  package var capture: CaptureEnd?
  /// The reason why the writing ended.
  package var write: WriteEnd
}

/// The end of the capture of a recording.
package enum CaptureEnd: Hashable, Sendable {
  /// An order stopped the capture.
  case stopped
  /// The device was lost, with its last message.
  case disconnected(String)
  /// The device delivered nothing for this time and reported no error.
  case stalled(Duration)
  /// The device cannot be used any more, with its message.
  case failed(String)
}

/// The reason why the writing of a take ended.
package enum WriteEnd: Hashable, Sendable {
  /// The capture ended, and all of its frames are in the file.
  case captureEnded
  /// An order ended the take at a frame.
  case ordered
  /// The take reached its maximum length.
  case duration
  /// The file reached its maximum size.
  case size
  /// The silence lasted as long as requested.
  case silence
  /// The file could not be written, with the reason.
  case failed(String)
}

/// A failed write to the file, or a failed conversion of the rate. Nothing is written after such a
/// failure.
struct TakeFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  static let stuckConverter = TakeFailure(description: "the rate converter accepts no frames")

  private init(description: String) { self.description = description }

  init(_ error: some Error & CustomStringConvertible) { description = error.description }
}

extension StreamCondition {
  /// The cause of the loss if the stream can be resumed, or nil otherwise.
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
