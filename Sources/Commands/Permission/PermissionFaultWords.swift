internal import Linux
package import Permission

extension TrustFault {
  /// The file, the position in it and the fault.
  package var words: String {
    guard case .file(let path, .policy(let flaw)) = self else { return description }
    return "\(shellArgument(path))\(flaw.position): \(printable("\(flaw)"))"
  }

  /// The remedy for a fault of a policy, completing "An administrator can ".
  var administratorRemedy: String {
    switch self {
    case .directory(let refusal): administratorRemedy(for: refusal)
    case .file(let path, .owner): "type: chown root:root \(shellArgument(path))"
    case .file(let path, .writableByOthers): "type: chmod go-w \(shellArgument(path))"
    case .file(let path, .symbolicLink): "put the file itself at \(quoted(path))"
    case .file(let path, .gone): "remove \(quoted(path)), or rename it"
    case .file(let path, _):
      "correct that file, then type: recorder permission policy check \(shellArgument(path))"
    }
  }

  private func administratorRemedy(for refusal: DirectoryRefusal) -> String {
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

  /// The user's remedy for a fault of the store, completing "to repair that, ".
  var remedy: String {
    switch self {
    case .directory(let refusal): remedy(for: refusal)
    case .file(let path, .writableByOthers):
      "check its contents, then: chmod 600 \(shellArgument(path))"
    case .file(let path, .unreadable(let error)) where error.errno == .accessDenied:
      "type: chmod u+r \(shellArgument(path))"
    case .file(let path, _):
      Client.Kind(ofFile: path).map {
        "move it away and decide again: recorder permission reset --force\($0.everyone.option)"
      } ?? "move it away: mv \(shellArgument(path)) \(shellArgument(path + ".bad"))"
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

extension PolicyFlaw {
  /// The position as compilers print it, such as `:3:14`.
  fileprivate var position: String { [line, column].compactMap { $0.map { ":\($0)" } }.joined() }
}

extension Account {
  /// The name for messages: the login name, or `user` with the number if there is none.
  package var label: String { name ?? "user \(id)" }
}
