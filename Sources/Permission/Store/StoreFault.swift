package import Linux

/// Why what a user decided cannot be trusted; then nothing counts as decided but "no".
package enum StoreFault: Error, Hashable, Sendable {
  /// There is no place for the store.
  case place(DirectoryRefusal)
  case file(String, FileFlaw)
  case contents(String, LedgerFlaw)
}

extension StoreFault: CustomStringConvertible {
  /// Which file, and what is wrong with it.
  package var description: String {
    switch self {
    case .place(let refusal): refusal.description
    case .file(let path, let flaw): "\(quoted(path)) \(flaw)"
    case .contents(let path, let flaw): "\(quoted(path)) \(flaw)"
    }
  }

  /// What to type, completing "to repair that, ".
  package var remedy: String {
    switch self {
    case .place(let refusal): remedy(for: refusal)
    case .file(let path, .writableByOthers):
      "look at what it says, then: chmod 600 \(quoted(path))"
    case .file(_, .unreadable): "make it readable"
    case .file, .contents:
      "move it away and decide anew: recorder permission reset --force"
    }
  }

  /// Whether moving the file away repairs it.
  package var canBeMovedAway: Bool {
    if case .place = self { false } else { true }
  }

  private func remedy(for refusal: DirectoryRefusal) -> String {
    let path = quoted(refusal.path)
    switch refusal.reason {
    case .writableByOthers: return "chmod 700 \(path)"
    case .owner: return refusal.remedy() ?? "move \(path) away"
    case .symbolicLink, .notDirectory: return "put a directory of your own at \(path)"
    case .exposed(let exposure):
      return exposure.remedy(path)
        ?? "set HOME or XDG_STATE_HOME to a place below directories of root's and of yours alone"
    case .relative, .root: return "set HOME to your home directory"
    case .system: return "make \(path) usable"
    }
  }
}
