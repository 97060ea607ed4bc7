internal import JSON
internal import Linux
package import Permission

extension FileFlaw {
  /// The flaw, completing a sentence that begins with the file's name.
  package var words: String {
    switch self {
    case .symbolicLink: "is a symbolic link"
    case .notRegular: "is not a plain file"
    case .owner(let user): "belongs to user \(user)"
    case .writableByOthers(let mode):
      "can be written by other users (mode \(String(mode, radix: 8)))"
    case .links(let count): "has \(count) hard links"
    case .tooLarge: "is larger than 64 KiB"
    case .unreadable(let error): "cannot be read (\(error.errno))"
    }
  }
}

extension PolicyFault {
  /// The file, the position in it and the fault.
  package var words: String {
    switch self {
    case .directory(let refusal): refusal.description
    case .file(let path, let flaw): "\(quoted(path)) \(flaw.words)"
    case .gone(let path): "\(quoted(path)) has a name that cannot be opened"
    case .contents(let path, let flaw):
      "\(shellArgument(path))\(flaw.position): \(printable(flaw.words))"
    }
  }

  /// The administrator's remedy, completing "An administrator can ".
  var remedy: String {
    switch self {
    case .directory(let refusal): remedy(for: refusal)
    case .file(let path, .owner): "type: chown root:root \(shellArgument(path))"
    case .file(let path, .writableByOthers): "type: chmod go-w \(shellArgument(path))"
    case .file(let path, .symbolicLink): "put the file itself at \(quoted(path))"
    case .gone(let path): "remove \(quoted(path)), or rename it"
    case .file(let path, _), .contents(let path, _):
      "correct it and type: recorder permission policy check \(shellArgument(path))"
    }
  }

  private func remedy(for refusal: DirectoryRefusal) -> String {
    let path = shellArgument(refusal.path)
    switch refusal.reason {
    case .owner: return "type: chown root:root \(path)"
    case .writableByOthers: return "type: chmod go-w \(path)"
    case .exposed(let exposure):
      return exposure.remedy(path).map { "type: \($0)" } ?? "type: chown root:root \(path)"
    case .relative, .root, .missingHome, .outdated, .symbolicLink, .notDirectory, .system:
      return "create a directory owned by root at \(quoted(refusal.path))"
    }
  }
}

extension PolicyFlaw {
  /// The fault, completing a sentence that begins with the position. Untrusted text is not escaped.
  fileprivate var words: String {
    switch kind {
    case .json(.syntax(_, _, let words)): words
    case .json(let error), .value(let error): error.description
    case .notObject: "a policy is an object in braces"
    case .version(let version): "version \(version) is unknown; this program knows version 1"
    case .unknownKey(let key, let known):
      "\"\(key)\" is unknown; known keys are \(Self.list(known, ", "))"
    case .missingKey(let key): "\"\(key)\" is missing"
    case .choice(let key, let known): "\"\(key)\" is \(Self.list(known, " or "))"
    case .emptyName(let key): "\"\(key)\" contains an empty name"
    case .pattern(let key): "\"\(key)\" may contain * and ?, but not [, ] or \\"
    }
  }

  private static func list(_ words: [String], _ separator: String) -> String {
    words.map { "\"\($0)\"" }.joined(separator: separator)
  }

  /// The position in the form of compilers, such as `:3:14`.
  fileprivate var position: String { [line, column].compactMap { $0.map { ":\($0)" } }.joined() }
}

extension LedgerFlaw {
  /// The flaw, completing a sentence that begins with the file's name.
  fileprivate var words: String {
    switch self {
    case .noChecksum: "does not begin with a checksum"
    case .checksum: "was changed or damaged: its checksum is wrong"
    case .malformed(let error): "contains data that this version cannot read: \(error)"
    }
  }
}

extension StoreFault {
  /// The file and its fault.
  package var words: String {
    switch self {
    case .directory(let refusal): refusal.description
    case .file(let path, let flaw): "\(quoted(path)) \(flaw.words)"
    case .contents(let path, let flaw): "\(quoted(path)) \(flaw.words)"
    }
  }

  /// The user's remedy, completing "to repair that, ".
  var remedy: String {
    switch self {
    case .directory(let refusal): remedy(for: refusal)
    case .file(let path, .writableByOthers):
      "check its contents, then: chmod 600 \(shellArgument(path))"
    case .file(_, .unreadable): "make it readable"
    case .file, .contents:
      "move it away and decide again: recorder permission reset --force"
    }
  }

  private func remedy(for refusal: DirectoryRefusal) -> String {
    let path = shellArgument(refusal.path)
    switch refusal.reason {
    case .writableByOthers: return "chmod 700 \(path)"
    case .owner, .root, .missingHome, .outdated:
      return refusal.remedy() ?? "move \(quoted(refusal.path)) away"
    case .symbolicLink, .notDirectory:
      return "create a directory of your own at \(quoted(refusal.path))"
    case .exposed(let exposure):
      return exposure.remedy(path)
        ?? "set HOME or XDG_STATE_HOME to a directory that only you and root can change"
    case .relative: return "set HOME to your home directory"
    case .system: return refusal.remedy() ?? "make \(quoted(refusal.path)) usable"
    }
  }
}

extension StoreFailure {
  /// The failure as a sentence, with its path quoted.
  package var words: String {
    switch self {
    case .unusable(let fault): "your stored decision cannot be trusted: \(fault.words)"
    case .locked(let path): "\(quoted(path)) stayed locked for 5 seconds"
    case .system(let error): error.description
    case .full(let path):
      "\(quoted(path)) would be larger than 64 KiB, and could not be read again"
    case .interference(let path, let generation):
      "\(quoted(path)) was changed by another program (generation \(generation) is missing)"
    }
  }
}

extension CallRestrictions.UsageError {
  /// The error as a sentence, with the value escaped for a terminal.
  package var words: String {
    "RECORDER_PERMISSION is \(quoted(value)), but its only valid value is \"deny\": no variable "
      + "can allow the microphone"
  }
}

extension Account {
  /// The name for messages: the login name, or `user` with the number if there is none.
  package var label: String { name ?? "user \(id)" }
}
