internal import CommandLine
internal import Linux
internal import Sounds

extension Failure {
  /// Why a name leads to no sound.
  init(finding name: String, _ error: SoundLibraryError) {
    switch error {
    case .invalid(let flaw): self.init(name: name, flaw)
    case .unknown(_, let nearest):
      let names = alternatives(nearest.prefix(3).map(quoted))
      self.init(
        .notFound,
        Message(
          "no sound \(quoted(name))",
          advice: nearest.isEmpty
            ? [
              "for a file, give a path with a slash such as ./\(printable(name))",
              "\"recorder sound list\" shows every name",
            ] : ["did you mean \(names)?"]))
    case .unusable(let path, _), .notRegular(let path):
      self.init(.notASound, Message("cannot read", on: path, why: error.reason))
    }
  }

  /// Why something that was typed is no name.
  init(name: String, _ flaw: SoundNameError, advice: String? = nil) {
    let isPath = flaw == .slash
    let advice = advice ?? (isPath ? "for a file there is \"recorder info FILE\"" : nil)
    self.init(.usage, Message("\(flaw)", advice: advice))
  }
}

extension SoundLibraryError {
  /// Why a file that has the name of a sound is none, without its path.
  var reason: String {
    switch self {
    case .unusable(_, let cause):
      // How `openat2` says it.
      cause.errno == .crossDevice ? "it links out of its directory" : "\(cause.errno)"
    case .notRegular: "it is not a file"
    case .invalid, .unknown: "\(self)"
    }
  }
}
