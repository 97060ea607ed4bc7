package import Audio
package import Linux

/// A file that a take is written to. The recording does not depend on its format.
package protocol TakeFile: ~Copyable, Sendable {
  associatedtype Failure: Error, CustomStringConvertible

  /// The format of the frames that the file expects.
  var stream: StreamFormat { get }

  /// The number of bytes written so far.
  var bytesWritten: Int64 { get }

  /// Writes whole frames. After a failure, this function is not called again.
  mutating func write(_ frames: RawSpan) throws(Failure)

  /// Makes the written frames readable, if the format allows it.
  mutating func refresh() throws(Failure)

  /// Receives an event of the take during writing, so that the event survives a crash.
  func note(_ event: PositionedEvent)
}

/// The functions that begin, create and complete a take's files. They run on the writing thread.
package struct TakeFiles<File: TakeFile & ~Copyable>: Sendable {
  /// Receives the time of the first frame of an armed take, once the take has been triggered.
  package var begin: @Sendable (_ began: WallTime) -> Void
  /// Creates the next file. Returns nil if this fails. The take then continues in the current file.
  package var next: @Sendable (_ number: Int, _ began: WallTime) -> File?
  /// Completes a file that gets no more frames. The last argument is the end of the recording for
  /// the last file, and nil for all other files.
  package var complete: @Sendable (consuming File, TakeSegment, RecordingEnd?) -> Void

  /// Creates a value with these functions. The default `next` creates no file.
  package init(
    begin: @escaping @Sendable (_ began: WallTime) -> Void = { _ in },
    next: @escaping @Sendable (_ number: Int, _ began: WallTime) -> File? = { _, _ in nil },
    complete: @escaping @Sendable (consuming File, TakeSegment, RecordingEnd?) -> Void
  ) {
    self.begin = begin
    self.next = next
    self.complete = complete
  }
}

/// A converter of frames from one rate to another.
package protocol RateConverter: ~Copyable, Sendable {
  associatedtype Failure: Error, CustomStringConvertible

  /// Reads frames from the start of `input`. Returns the number of frames that it read, and the
  /// number that it produced.
  mutating func convert(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(Failure) -> (consumed: Int, produced: Int)

  /// Fills `output` with the remaining frames at the end. Returns their number, or 0 if none
  /// remain.
  mutating func drain(into output: inout MutableSpan<Float>) throws(Failure) -> Int
}
