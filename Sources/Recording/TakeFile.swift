package import Audio
package import Linux

/// A file that a take is written to; the engine does not know its format.
package protocol TakeFile: ~Copyable, Sendable {
  associatedtype Failure: Error, CustomStringConvertible

  /// The format of the frames that it is given.
  var stream: StreamFormat { get }

  /// The bytes written so far.
  var bytesWritten: Int64 { get }

  /// Writes whole frames; after a failure nothing more is given to it.
  mutating func write(_ frames: RawSpan) throws(Failure)

  /// Makes what is written so far readable, where the format can.
  mutating func refresh() throws(Failure)

  /// Takes an event of the take while it is written, so that the event survives a crash.
  func note(_ event: PlacedEvent)
}

/// The maker and the receiver of a take's files, on the writing thread.
package struct TakeFiles<File: TakeFile & ~Copyable>: Sendable {
  /// Makes the next file; nil where none can be made, and the take continues in the one that it
  /// has.
  package var next: @Sendable (_ number: Int, _ began: WallTime) -> File?
  /// Completes a file to which nothing is written any more; the last one comes with the end of the
  /// take.
  package var complete: @Sendable (consuming File, TakeSegment, RecordingEnd?) -> Void

  /// Files made by `next`, which makes none where it is not given, and completed by `complete`.
  package init(
    next: @escaping @Sendable (_ number: Int, _ began: WallTime) -> File? = { _, _ in nil },
    complete: @escaping @Sendable (consuming File, TakeSegment, RecordingEnd?) -> Void
  ) {
    self.next = next
    self.complete = complete
  }
}

/// Turns frames of one rate into frames of another.
package protocol RateConverter: ~Copyable, Sendable {
  associatedtype Failure: Error, CustomStringConvertible

  /// Takes frames from the start of `input` and returns how many, and how many it made.
  mutating func convert(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(Failure) -> (consumed: Int, produced: Int)

  /// Fills `output` with frames that are left at the end; 0 is the end.
  mutating func drain(into output: inout MutableSpan<Float>) throws(Failure) -> Int
}
