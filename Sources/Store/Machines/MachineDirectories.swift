internal import JSON
package import Linux

/// The state directories of the machines that share a home: the first machine has the home's own, each other a
/// directory beneath it.
///
/// So the names of recordings, their locks and the player belong to one machine, and a former release finds
/// everything of the first where it was.
package struct MachineDirectories: Hashable, Sendable {
  /// The state directory of the home.
  package let home: String
  /// The host whose state directory is looked for.
  package let host: Host

  /// The directories of a home as `host` sees it.
  package init(home: String, host: Host = .current) {
    self.home = home
    self.host = host
  }

  /// The file in a state directory that names its machine.
  static let file = "machine.json"
  /// The directory that holds the state directories of further machines.
  static let directory = "machines"

  /// A state directory and the host that last recorded or played from it, where that is known.
  private struct Claim {
    var path: String
    var host: Host?
  }

  /// The state directory of this machine; reading it writes nothing.
  package var state: String { own.path }

  private var own: Claim {
    let first = Claim(path: home, host: claimant(of: home))
    if isOurs(first) { return first }
    if let own = further.first(where: isOurs) { return own }
    if first.host == nil { return first }
    let path = "\(home)/\(Self.directory)/\(host.machine)"
    return Claim(path: path, host: claimant(of: path))
  }

  /// The state directories of other machines, with their hosts.
  package var others: [(path: String, host: Host)] {
    let own = state
    return ([Claim(path: home, host: claimant(of: home))] + further).compactMap { claim in
      guard claim.path != own, let host = claim.host else { return nil }
      return (claim.path, host)
    }
  }

  /// Makes the state directory of this machine its own and returns it.
  ///
  /// A directory in which the claim cannot be written, as on a full disk, is used all the same.
  package func claim() throws(DirectoryRefusal) -> String {
    while true {
      let own = own
      let (path, former) = (own.path, own.host)
      let directory = try PrivateDirectory.make(at: path)
      if former == host { return path }
      do {
        if former == nil {
          try claimFirst(directory)
        } else if former?.machine == host.machine {
          // The boot and the name are those of the latest.
          try AtomicFile.write(text.span, to: Self.file, in: directory)
        }
        return path
      } catch {
        guard error.errno == .exists else { return path }
      }
    }
  }

  /// Throws `exists` where another machine was faster.
  private func claimFirst(_ directory: borrowing Directory) throws(SystemError) {
    let draft = ".\(Self.file).\(try RandomBytes.hexadecimal(8)).tmp"
    try AtomicFile.write(text.span, to: draft, in: directory)
    do {
      // A file that cannot be read names no machine.
      if (try? directory.status(of: Self.file)) != nil, claimant(of: directory.path) == nil {
        try directory.rename(draft, to: Self.file)
      } else {
        try directory.renameWithoutReplacing(draft, to: Self.file)
      }
    } catch {
      try? directory.remove(draft)
      throw error
    }
  }

  private var text: [UInt8] {
    Array((JSONValue.object(host.noted(by: nil)).encoded() + "\n").utf8)
  }

  private func isOurs(_ claim: Claim) -> Bool {
    guard let owner = claim.host else { return false }
    return owner.sharesProcesses(with: host) || owner.machine == host.machine
  }

  private func claimant(of path: String) -> Host? {
    HostNote.read(Self.file, in: path)?.host
  }

  private var further: [Claim] {
    let path = "\(home)/\(Self.directory)"
    guard let directory = try? PrivateDirectory.open(path), let names = try? directory.names()
    else { return [] }
    return names.filter { !$0.hasPrefix(".") }.sorted().map { name in
      Claim(path: directory.path(of: name), host: claimant(of: directory.path(of: name)))
    }
  }
}
