package import Audio
internal import Files
package import Linux

/// A WAV stream in a regular file. Its header is corrected at the end. In a pipe, the header cannot
/// be changed.
package struct StreamedWave: Hashable, Sendable {
  private let stream: StreamFormat
  /// The position of the header in the file.
  private let start: Int64

  /// Notes the position of the header, before anything is written. Returns nil if the output is not
  /// a regular file or is open for appending, or if the format has no header.
  package init?(in output: borrowing Descriptor, _ stream: StreamFormat, as format: FileFormat) {
    guard format == .wav, let start = output.overwritablePosition else { return nil }
    self.stream = stream
    self.start = start
  }

  /// Writes a header with the length of the sound. Does nothing if the header is incomplete.
  ///
  /// - Parameter audio: the number of bytes after the header, or a negative number if the header is
  ///   incomplete.
  package func correct(in output: borrowing Descriptor, audio: Int64) {
    guard audio >= 0 else { return }
    let header = WaveHeader(stream)
    let whole = audio - audio % Int64(stream.bytesPerFrame)
    let bytes = header.bytes(audio: whole, end: Int64(header.count) + whole)
    // Without this header, programs still read the samples to the end of the file.
    try? output.writeAll(unsafe bytes.span.bytes, at: start)
  }
}
