/// The header before the samples of a file, for formats whose header this program writes itself.
///
/// The header's length depends only on the stream, so one write can replace the header.
protocol SoundFileHeader: Sendable {
  /// The header's length in bytes. The samples begin there.
  var count: Int { get }
  /// Returns the header of a file of `end` bytes, including `audio` bytes of samples.
  func bytes(audio: Int64, end: Int64) -> [UInt8]
  /// Returns the chunks after the samples, with marks and texts.
  func tail(cues: [SoundFileCue], tags: SoundFileTags) -> [UInt8]
  /// Finishes a file: corrects the header, and writes `tail` after the samples.
  func end(_ file: CheckedFile, audio: Int64, tail: [UInt8]) throws(SoundFileError)
}

extension SoundFileHeader {
  /// Replaces the header in one write, so that the file always has a valid header.
  func write(to file: CheckedFile, audio: Int64, end: Int64) throws(SoundFileError) {
    try unsafe file.write(bytes(audio: audio, end: end).span.bytes, at: 0)
  }
}
