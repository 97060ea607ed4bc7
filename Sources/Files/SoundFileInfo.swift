package import Audio
internal import CSndFile

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
  /// The least sample format that holds every sample as it is; nil for an encoding without one, and
  /// for several streams.
  package var sample: SampleFormat?
  /// The missing or surplus parts of the file, or nil if it is whole.
  package var flaw: SoundFlaw?

  /// The sound's length in time; nil where the file states no frames.
  package var duration: Duration? { frames?.duration(at: rate) }
}

/// A marked frame of a sound file.
package struct SoundFileCue: Hashable, Sendable {
  /// The frame, the first being 0.
  package var frame: FrameCount
  /// The mark's label; may be empty.
  package var label: String

  /// Marks `frame`, the first of the file being 0, with a label that may be empty.
  package init(at frame: FrameCount, label: String) {
    self.frame = frame
    self.label = label
  }
}

/// A text that a sound file can carry.
package enum SoundFileTag: String, Hashable, CaseIterable, Sendable {
  case title, artist, album, trackNumber, genre, date, comment, copyright, license, software
}

/// The texts of one file.
package typealias SoundFileTags = [SoundFileTag: String]

extension SoundFileTag {
  /// libsndfile's number, `SF_STR_TITLE` and so on.
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

  /// The name of its chunk in a WAV file's INFO list; a licence has none.
  var infoName: String? {
    switch self {
    case .title: "INAM"
    case .artist: "IART"
    case .album: "IPRD"
    case .trackNumber: "ITRK"
    case .genre: "IGNR"
    case .date: "ICRD"
    case .comment: "ICMT"
    case .copyright: "ICOP"
    case .license: nil
    case .software: "ISFT"
    }
  }
}
