internal import Audio

/// One stream of a sound file: the bytes that a decoder reads, and the facts that it cannot know.
struct SoundStream: Sendable {
  /// The bytes of the stream.
  var view: FileView
  /// The samples' format where the view holds nothing else.
  var raw: RawStream?
  /// The frames, where they were counted because a decoder only guesses.
  var frames: FrameCount?
  /// The place of each channel, where the file states it.
  var speakers: [Speaker]?
  /// True where the samples are integers of 32 bits that a decoder believes to be shorter.
  var isWide = false

  init(
    _ view: FileView, raw: RawStream? = nil, frames: FrameCount? = nil, speakers: [Speaker]? = nil
  ) {
    self.view = view
    self.raw = raw
    self.frames = frames
    self.speakers = speakers
  }
}

/// Samples without a header.
struct RawStream: Hashable, Sendable {
  var rate: SampleRate
  var channels: ChannelCount
  var encoding: Encoding
  /// True where the highest byte of a sample comes first.
  var isBigEndian = false

  /// The encoding of a sample.
  enum Encoding: Hashable, Sendable {
    case unsigned8, signed8, signed16, aLaw, muLaw
    case plain(SampleFormat)
  }
}

/// The streams that lie one behind the other in a sound file.
struct SoundSurvey: Sendable {
  /// At least one.
  var streams: [SoundStream]
  /// The container's name, where the decoder's view has another one.
  var container: String?
  /// The reason why the file is not whole.
  var fault: SoundFileError?
  /// True where the file is known to hold samples, whatever its header states.
  var hasSamples = false

  init(_ streams: [SoundStream], container: String? = nil) {
    self.streams = streams
    self.container = container
  }
}
