internal import CSndFile

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
