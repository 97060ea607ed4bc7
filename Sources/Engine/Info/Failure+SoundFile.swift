internal import CommandLine
internal import Files
internal import Linux

extension Failure {
  /// What it means to the user that a sound file could not be read.
  init(reading path: String, _ error: SoundFileError) {
    switch error {
    case .system(let cause):
      let isMissing = [.noSuchFile, .notDirectory].contains(cause.errno)
      self.init(
        isMissing ? .notFound : .notASound,
        Message("cannot read", on: path, why: "\(cause.errno)"))
    case .library(_, _, _, let words):
      self.init(.notASound, Message("cannot read", on: path, why: words))
    case .notRegular:
      self.init(.notASound, Message("cannot read", on: path, why: "it is not a file"))
    default:
      self.init(
        .notASound, Message("cannot read", on: path, why: "it is no sound of a known format"))
    }
  }
}
