package import Linux

/// The reason that the user's decisions cannot be trusted; only refusals count then.
package enum StoreFault: Error, Hashable, Sendable {
  /// The store's directory cannot be used.
  case place(DirectoryRefusal)
  case file(String, FileFlaw)
  case contents(String, LedgerFlaw)
}

extension StoreFault: CustomStringConvertible {
  /// The file and its fault.
  package var description: String {
    switch self {
    case .place(let refusal): refusal.description
    case .file(let path, let flaw): "\(quoted(path)) \(flaw)"
    case .contents(let path, let flaw): "\(quoted(path)) \(flaw)"
    }
  }

  /// The user's remedy, completing "to repair that, ".
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

  /// True if moving the file away repairs the fault.
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
