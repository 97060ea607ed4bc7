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
    self.init(code, Message("cannot read", on: path, why: error.reason))
  }
}

extension SoundFileError {
  /// Why the file could not be read, without its name.
  var reason: String {
    switch self {
    case .system(let cause): "\(cause.errno)"
    case .library(_, _, _, let words): words
    case .notRegular: "it is not a file"
    default: "it is no sound of a known format"
    }
  }
}
