package import Audio

/// Samples of a file that are read from the first to the last.
package protocol FrameReader: ~Copyable {
  /// Frames a second.
  var rate: SampleRate { get }
  /// Samples a frame.
  var channels: ChannelCount { get }
  /// The place of each channel; nil where the file does not state it.
  var speakers: [Speaker]? { get }
  /// The frames that the file states; nil where it states none.
  var frames: FrameCount? { get }
  /// True where every sample is an integer within full scale.
  var holdsIntegers: Bool { get }

  /// Reads whole frames, full scale being 1, and returns how many; 0 is the end.
  mutating func read(into samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int

  /// Continues reading at `frame`; a position past the end is the end.
  mutating func seek(to frame: FrameCount) throws(SoundFileError)
}
