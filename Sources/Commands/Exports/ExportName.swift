package import Audio
internal import Exports
internal import Linux

/// The format of an exported file, as the option names it.
package struct ExportFormat: WordValue {
  let format: FileFormat

  /// The placeholder for a file format in the help.
  package static let placeholder = FileFormat.placeholder
  /// The formats that takes can be exported to.
  package static let allCases = FileFormat.exported.map { ExportFormat(format: $0) }
  /// The word for the format.
  package var word: String { format.rawValue }
}

/// The checks of the name of an exported file, and the choice of its format.
package enum ExportName {
  /// Returns the format that the option or the extension of the name chooses. Throws if there is
  /// neither, if they contradict each other, or if recorder does not write the format of the
  /// extension.
  package static func format(
    of path: String, _ wanted: FileFormat?, from source: String, part: SoundPart,
    loudness: Double? = nil
  ) throws -> FileFormat {
    if path == "-" { return wanted ?? .wav }
    let name = path.pathParts.name
    if let wanted {
      if let suffix = name.formatSuffix { try wanted.check(suffix, among: FileFormat.exported) }
      return wanted
    }
    let ending = name.suffix
    if let format = FileFormat(suffix: ending, among: FileFormat.exported) { return format }
    let known = alternatives(FileFormat.exported.map { "." + $0.rawValue })
    guard !ending.isEmpty else {
      throw Failure(
        .usage, "\(quoted(path)) has no extension, so the format is unknown",
        advice: "use \(known), or give --format")
    }
    throw Failure(
      .notASound,
      "cannot write \(quoted(path)): recorder does not encode .\(printable(ending)) files",
      advice: ["recorder writes \(known)", "ffmpeg may encode it:"],
      command: conversion(source, to: path, part, loudness: loudness))
  }

  /// Throws if the options cannot be combined.
  package static func check(isSplit: Bool, isNormalized: Bool) throws {
    guard isSplit, isNormalized else { return }
    throw Failure(
      .usage, "--at-marks cannot be combined with --normalize or --loudness",
      advice: "normalize into one file, then cut that file")
  }

  /// Returns whether the path is `-`, which is stdout. Throws if stdout cannot take the export.
  package static func isStream(_ path: String, isSplit: Bool) throws -> Bool {
    guard path == "-" else { return false }
    guard !isSplit else {
      throw Failure(.usage, "--at-marks writes several files, but stdout can take only one")
    }
    guard !Terminal.isTerminal(StandardStream.output.rawValue) else {
      throw Failure(
        .usage, "\"-\" sends audio to stdout, which is this terminal",
        advice: "give a file, or send it to a program: recorder export FILE - | aplay")
    }
    return true
  }

  /// Returns the ffmpeg command for the same export.
  private static func conversion(
    _ source: String, to path: String, _ part: SoundPart, loudness: Double?
  ) -> String {
    var words = ["ffmpeg"]
    if let from = part.from { words += ["-ss", clock(from)] }
    if let to = part.to { words += ["-to", clock(to)] }
    words += ["-i", shellArgument(plain(source))]
    if let loudness { words += ["-af", "loudnorm=I=\(rounded(loudness, places: 1)):TP=-1"] }
    words.append(shellArgument(plain(path)))
    return words.joined(separator: " ")
  }

  /// Returns the path in a form that no program reads as an option, and that ffmpeg does not read
  /// as a URL.
  private static func plain(_ path: String) -> String {
    let isMistakable = path.utf8.first == UInt8(ascii: "-") || path.utf8.contains(UInt8(ascii: ":"))
    return isMistakable && !path.begins(with: "/") ? "./" + path : path
  }
}
