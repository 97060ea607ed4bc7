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
