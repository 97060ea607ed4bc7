/// Why the writing of a take ended.
package enum WriteEnd: Hashable, Sendable {
  /// The capture ended, and all that it brought is in the file.
  case captureEnded
  /// An order ended it at a frame.
  case ordered
  /// It is as long as asked.
  case duration
  /// It is as large as asked.
  case size
  /// It was silent for as long as asked.
  case silence
  /// The file could not be written; the reason.
  case failed(String)
}
