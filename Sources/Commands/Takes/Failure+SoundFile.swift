internal import Audio
internal import Decoding
internal import Files
internal import Linux

extension Failure {
  /// The failure to write a sound file.
  init(_ error: SoundFileError) {
    if case .unsupported = error {
      self.init(.usage, "\(error)", advice: "choose another --format")
    } else {
      let words = if case .library("dlopen", _, _, let words) = error { words } else { "\(error)" }
      self.init(
        .failed, "cannot write sound files: \(printable(words))",
        advice: MissingLibrary(in: words)?.advice)
    }
  }

  /// The failure to convert the sample rate, with advice.
  init(_ error: ResamplerError) {
    self.init(
      .failed, "cannot convert the sample rate: \(error)",
      advice: MissingLibrary(in: "\(error)")?.advice)
  }

  /// The failure to read a sound file, with advice.
  init(reading path: String, _ error: SoundFileError) {
    let failure = Failure(reading: path, SoundProblem(error))
    guard case .system(let cause) = error, [.noSuchFile, .notDirectory].contains(cause.errno) else {
      self = failure
      return
    }
    self.init(
      .notFound, "cannot read", on: path, why: SoundProblem(error).reason,
      advice: Self.nearestFile(to: path).map { "did you mean \(quoted($0))?" })
  }

  /// Returns the sound file with the name nearest to the name of a missing file, or nil if there is
  /// none.
  private static func nearestFile(to path: String) -> String? {
    let (parent, name) = path.pathParts
    // The lengths may differ by five bytes, the length of the extension .flac. Without this limit
    // and the limit of 500 names, the comparison would take seconds in a very large directory.
    let similar = ((try? Directory(parent).names()) ?? []).filter {
      $0.hasSoundEnding && abs($0.utf8.count - name.utf8.count) <= 5
    }
    let nearest = nearestNames(to: name, among: similar.sorted().prefix(500).map(\.self)).first
    return path.isSameName(as: name) ? nearest : nearest.map { parent.path(of: $0) }
  }

  /// The failure of a child process to read a sound file.
  init(reading path: String, _ problem: SoundProblem) {
    let missing = MissingLibrary(in: problem.reason)
    self.init(
      missing == nil ? .notASound : .failed, "cannot read", on: path, why: problem.reason,
      advice: missing?.advice ?? problem.advice(for: path))
  }
}

extension SoundProblem {
  /// Describes an error for the user.
  init(_ error: SoundFileError) {
    switch error {
    case .notDecoded(_, _, isConvertible: true): self.init(error.reason, isConvertible: true)
    case .notSound: self.init(error.reason, isUnknown: true)
    case .library(let function, _, _, _) where function != "dlopen":
      self.init("its samples cannot be decoded")
    case .notRegular(let path): self.init(otherKind(of: path))
    default: self.init(error.reason)
    }
  }

  /// Returns the command that may play the file, or nil if there is none. A file of an unknown kind
  /// may have raw samples. But if it has the extension of another format, it is damaged.
  func advice(for path: String) -> String? {
    if isUnknown, !path.hasSoundEnding || FileFormat(suffix: path.suffix) == .raw {
      return "if these are raw samples, \"recorder play\" needs --rate, --channels and --bits"
    }
    guard isConvertible else { return nil }
    return "to play it: ffmpeg -i \(path == "-" ? "FILE" : quoted(path)) -f wav - | recorder play -"
  }
}

/// Returns the reason why the object at `path` cannot be read as a file.
func otherKind(of path: String) -> String {
  let kind = (try? FileStatus(of: path))?.kind
  return kind == .directory ? "it is a directory" : "it is not a regular file"
}
