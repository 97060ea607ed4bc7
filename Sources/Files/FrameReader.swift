package import Audio

/// Samples of a file that are read from the first to the last.
package protocol FrameReader: ~Copyable {
  /// How many frames a second there are.
  var rate: SampleRate { get }
  /// How many samples a frame has.
  var channels: ChannelCount { get }
  /// The place of each channel; nil where nobody knows it.
  var speakers: [Speaker]? { get }
  /// How many frames the file says it has; nil where it does not.
  var frames: FrameCount? { get }
  /// Whether no sample can be other than a number within full scale.
  var holdsIntegers: Bool { get }

  /// Reads whole frames, full scale being 1, and returns how many; 0 is the end.
  mutating func read(into samples: inout MutableSpan<Float>) throws(SoundFileError) -> Int

  /// Goes on at `frame`; past the end is the end.
  mutating func seek(to frame: FrameCount) throws(SoundFileError)
}
