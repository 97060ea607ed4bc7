internal import Audio
internal import Linux

extension StartCommand {
  /// The format given by the option or the file's suffix; WAV for a name without a suffix.
  static func format(_ arguments: Arguments, _ typed: String?) throws(Failure) -> FileFormat {
    let given = arguments[format]
    guard let suffix = suffix(of: typed?.pathNames.last ?? "") else {
      return given ?? .wav
    }
    let meant = FileFormat(suffix: suffix)
    guard let given else {
      guard let meant else { throw foreign(suffix) }
      return meant
    }
    let fits = meant == given || meant == nil && !ForeignEnding.is(suffix, otherThan: given)
    if fits { return given }
    let ending = quoted("." + (given.suffixes.first ?? "wav"))
    throw usage(
      "\(quoted("." + suffix)) is not the ending of a \(given) file; use \(ending)"
        + (meant == nil ? "" : ", or remove --format"))
  }

  /// The suffix of a name; nil if the part after the dot is a time or a number.
  private static func suffix(of name: String) -> String? {
    let suffix = name.nameParts.ending.trimmingBytes(first: 1)
    let isEnding =
      suffix.allSatisfy { $0.isLetter || $0.isNumber } && suffix.contains(where: \.isLetter)
    return isEnding ? suffix : nil
  }

  private static func foreign(_ suffix: String) -> Failure {
    Failure(
      .usage,
      Message(
        "cannot record \(quoted("." + suffix)) files", advice: ForeignEnding.advice(for: suffix)))
  }
}

/// The suffixes of sound files that recorder does not write.
private enum ForeignEnding {
  private static let ogg: Set<String> = ["ogg", "oga"]
  private static let compressed: Set<String> = [
    "mp3", "mp2", "m4a", "m4b", "mp4", "aac", "ac3", "wma", "amr", "3gp", "spx", "mka", "webm",
    "mkv", "mov", "avi",
  ]
  private static let plain: Set<String> = [
    "aiff", "aif", "aifc", "au", "snd", "caf", "w64", "ape", "wv", "alac", "voc", "dsf", "dff",
  ]

  /// True if the suffix belongs to another format than `format`; the suffixes of Ogg also fit Opus.
  static func `is`(_ suffix: String, otherThan format: FileFormat) -> Bool {
    let suffix = suffix.lowercased()
    if ogg.contains(suffix) { return format != .opus }
    return compressed.contains(suffix) || plain.contains(suffix)
  }

  /// The advice that names a format to use instead.
  static func advice(for suffix: String) -> String {
    let suffix = suffix.lowercased()
    if ogg.contains(suffix) { return "use \".opus\": it is Opus in an Ogg file" }
    if compressed.contains(suffix) {
      return "use \".opus\" for a small file, \".flac\" for a lossless one, or \".wav\""
    }
    if plain.contains(suffix) { return "use \".wav\", or \".flac\" for a smaller file" }
    let endings = FileFormat.allCases.compactMap(\.suffixes.first).map { quoted("." + $0) }
    return "use \(alternatives(endings)), or give --format"
  }
}
