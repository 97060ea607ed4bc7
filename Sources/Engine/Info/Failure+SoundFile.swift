internal import Audio
internal import CommandLine
internal import Files
internal import Linux

extension Failure {
  /// What it means to the user that a sound file could not be read.
  init(reading path: String, _ error: SoundFileError) {
    var code = ExitCode.notASound
    if case .system(let cause) = error, [.noSuchFile, .notDirectory].contains(cause.errno) {
      code = .notFound
    }
    let missing = MissingLibrary(in: error.reason)
    if missing != nil { code = .failed }
    self.init(
      code, Message("cannot read", on: path, why: error.reason, advice: missing?.advice))
  }
}

extension SoundFileLibrary {
  /// Loads it before anything is made that it would be missed for.
  static func require() throws(Failure) {
    do throws(SoundFileError) {
      try prepare()
    } catch {
      throw Failure(
        .failed,
        Message(
          "cannot write sound files: \(printable(error.reason))",
          advice: MissingLibrary(in: error.reason)?.advice))
    }
  }
}

extension SoundFileError {
  /// Why the file could not be read, without its name.
  var reason: String {
    switch self {
    case .system(let cause): "\(cause.errno)"
    case .library(_, _, _, let words): words
    case .notRegular: "it is not a file"
    case .cutOff(_, let expected?, let actual) where expected < .max:
      "it is cut off: \(actual) of \(expected) bytes are there"
    case .cutOff: "it is cut off"
    case .damaged(_, let expected, let actual):
      "it is damaged: \(actual.value) of \(expected.value) frames can be decoded"
    case .unfinished: "its header was never finished, and says that it holds nothing"
    case .rateUnheard(_, let rate): "its rate is \(rate), which no sound has"
    case .notFinite: "it holds samples that are no sound"
    default: "it is no sound of a known format"
    }
  }
}
