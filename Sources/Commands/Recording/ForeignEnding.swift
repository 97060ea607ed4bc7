internal import Audio
internal import Exports

extension FileFormat {
  /// Returns whether a file in this format may have `suffix`: a suffix of this format, or of no
  /// known format. An Opus file may also have a suffix of Ogg.
  func fits(_ suffix: String) -> Bool {
    let formats = FileFormat.allCases + FileFormat.exported
    guard let meant = FileFormat(suffix: suffix, among: formats) else {
      return !ForeignEnding.contains(suffix)
    }
    return meant == self || meant == .ogg && self == .opus
  }

  /// Throws if a file in this format may not have `suffix`.
  ///
  /// - Parameter formats: the formats that the command writes.
  func check(_ suffix: String, among formats: [FileFormat] = allCases) throws(Failure) {
    if fits(suffix) { return }
    let canFollow = FileFormat(suffix: suffix, among: formats) != nil
    throw Failure(
      foreign: suffix, of: "\(self)", use: suffixes.first ?? rawValue,
      or: canFollow ? "remove --format" : nil)
  }
}

extension Failure {
  /// Creates the failure for an extension that files of a kind do not have.
  ///
  /// - Parameters:
  ///   - usual: the extension that files of this kind have.
  ///   - option: another remedy, or nil if there is none.
  init(foreign suffix: String, of files: String, use usual: String, or option: String?) {
    self.init(
      .usage, "\(quoted("." + suffix)) is not an extension of \(files) files",
      advice: "use \(quoted("." + usual))" + (option.map { ", or \($0)" } ?? ""))
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

  /// Returns whether the suffix belongs to a sound file that recorder does not record.
  static func contains(_ suffix: String) -> Bool {
    let suffix = suffix.lowercased()
    return [ogg, compressed, plain].contains { $0.contains(suffix) }
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
