package import Audio
package import Linux

/// Where a take is written; the engine does not know what kind of file it is.
package protocol TakeFile: ~Copyable, Sendable {
  associatedtype Failure: Error, CustomStringConvertible

  /// Rate, channels and samples of what it is given.
  var stream: StreamFormat { get }

  /// Bytes so far.
  var bytesWritten: Int64 { get }

  /// Writes whole frames; after a failure nothing more is given to it.
  mutating func write(_ frames: RawSpan) throws(Failure)

  /// Makes what is written so far readable, where the format can.
  mutating func refresh() throws(Failure)

  /// Hears of what happens to the take while it is written, so that it can outlive a crash.
  func note(_ event: PlacedEvent)
}

/// What makes and takes the files of a take, on the writing thread.
package struct TakeFiles<File: TakeFile & ~Copyable>: Sendable {
  /// The next file; nil where none can be made, and the take goes on in the one that it has.
  package var next: @Sendable (_ number: Int, _ began: WallTime) -> File?
  /// Completes a file to which nothing is written any more; the last one comes with the end of the take.
  package var complete: @Sendable (consuming File, TakeSegment, RecordingEnd?) -> Void

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
