package import Audio
internal import CSndFile

/// The properties that a sound file states.
package struct SoundFileInfo: Hashable, Sendable {
  /// libsndfile's name of the container, such as `WAV (Microsoft)`.
  package var container: String
  /// libsndfile's name of the encoding, such as `Signed 16 bit PCM`.
  package var encoding: String
  /// The bits per sample, or nil if the encoding has no fixed number.
  package var bits: Int?
  /// Frames per second.
  package var rate: SampleRate
  /// Samples per frame.
  package var channels: ChannelCount
  /// The number of frames, or nil if the file does not state it.
  package var frames: FrameCount?
  /// The file's size.
  package var bytes: Int64
  /// The texts as stored in the file. Escape them before printing to a terminal.
  package var tags: SoundFileTags
  /// The marks as stored in the file. Escape them before printing to a terminal.
  package var cues: [SoundFileCue]
  /// The smallest sample format that holds every sample exactly. Nil if there is no such format, or
  /// if the file has several streams.
  package var sample: SampleFormat?
  /// The missing or surplus parts of the file, or nil if it is whole.
  package var flaw: SoundFlaw?

  /// The sound's duration, or nil if the file states no number of frames.
  package var duration: Duration? { frames?.duration(at: rate) }
}

/// A marked frame of a sound file.
package struct SoundFileCue: Hashable, Sendable {
  /// The frame. The first frame of the file is 0.
  package var frame: FrameCount
  /// The mark's label. It may be empty.
  package var label: String

  /// A mark at `frame`, counted from 0, with a label that may be empty.
  package init(at frame: FrameCount, label: String) {
    self.frame = frame
    self.label = label
  }
}

/// A kind of text that a sound file can contain.
package enum SoundFileTag: String, Hashable, CaseIterable, Sendable {
  case title, artist, album, trackNumber, genre, date, comment, copyright, license, software
}

/// The texts of one file.
package typealias SoundFileTags = [SoundFileTag: String]

extension SoundFileTag {
  /// libsndfile's number, such as `SF_STR_TITLE`.
  var code: CInt {
    let code =
      switch self {
      case .title: SF_STR_TITLE
      case .artist: SF_STR_ARTIST
      case .album: SF_STR_ALBUM
      case .trackNumber: SF_STR_TRACKNUMBER
      case .genre: SF_STR_GENRE
      case .date: SF_STR_DATE
      case .comment: SF_STR_COMMENT
      case .copyright: SF_STR_COPYRIGHT
      case .license: SF_STR_LICENSE
      case .software: SF_STR_SOFTWARE
      }
    return CInt(code)
  }
}
