internal import Audio

extension FileFormat {
  /// Returns whether a take in this format may have `suffix`: a suffix of this format, or of no
  /// known format.
  func fits(_ suffix: String) -> Bool {
    let meant = FileFormat(suffix: suffix)
    return meant == self || meant == nil && !ForeignEnding.is(suffix, otherThan: self)
  }
}

/// The suffixes of sound files that recorder does not record.
enum ForeignEnding {
  private static let ogg: Set<String> = ["ogg", "oga"]
  private static let compressed: Set<String> = [
    "mp3", "mp2", "m4a", "m4b", "mp4", "aac", "ac3", "wma", "amr", "3gp", "spx", "mka", "webm",
    "mkv", "mov", "avi",
  ]
  private static let plain: Set<String> = [
    "au", "snd", "w64", "ape", "wv", "alac", "voc", "dsf", "dff",
  ]

  /// Returns whether the suffix belongs to another format. The suffixes of Ogg also fit Opus.
  static func `is`(_ suffix: String, otherThan format: FileFormat) -> Bool {
    let suffix = suffix.lowercased()
    if ogg.contains(suffix) { return format != .opus }
    return compressed.contains(suffix) || plain.contains(suffix)
  }

  /// Returns the advice that names a format to use instead.
  static func advice(for suffix: String) -> String {
    let suffix = suffix.lowercased()
    if ogg.contains(suffix) { return "use \".opus\": it is Opus in an Ogg file" }
    if compressed.contains(suffix) {
      let later = suffix == "mp3" ? "; \"recorder export\" converts it to MP3" : ""
      return "use \".opus\" for a small file, \".flac\" for a lossless one, or \".wav\"" + later
    }
    if plain.contains(suffix) { return "use \".wav\", or \".flac\" for a smaller file" }
    let endings = FileFormat.allCases.compactMap(\.suffixes.first).map { quoted("." + $0) }
    return "use \(alternatives(endings)), or give --format"
  }
}
