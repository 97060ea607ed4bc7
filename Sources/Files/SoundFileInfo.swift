package import Audio

/// The facts that a sound file states about itself.
package struct SoundFileInfo: Hashable, Sendable {
  /// libsndfile's name of the container, such as `WAV (Microsoft)`.
  package var container: String
  /// libsndfile's name of the encoding, such as `Signed 16 bit PCM`.
  package var encoding: String
  /// Bits a sample; nil where the encoding has no fixed number.
  package var bits: Int?
  /// Frames a second.
  package var rate: SampleRate
  /// Samples a frame.
  package var channels: ChannelCount
  /// Nil where the file does not say.
  package var frames: FrameCount?
  /// The file's size.
  package var bytes: Int64
  /// As they stand in the file: escape them before they reach a terminal.
  package var tags: SoundFileTags
  /// As they stand in the file: escape them before they reach a terminal.
  package var cues: [SoundFileCue]

  /// The sound's length in time; nil where the file states no frames.
  package var duration: Duration? { frames?.duration(at: rate) }
}
