internal import Digest
package import JSON
package import Linux

/// The machine, the boot and the process namespace of a process.
///
/// One home may be seen from several of them: over a share, from a container, after a restart. Process numbers, and on
/// some shares locks, mean something only where they were taken.
package struct Host: Hashable, Sendable {
  /// The digest of the machine's identity, as machine-id(5) asks: the identity itself stays on the machine.
  package let machine: String
  /// The identifier of the boot; nil where the system does not report it.
  package let boot: String?
  /// The number of the process namespace; nil where the system does not report it.
  package let processes: UInt64?
  /// The host name, shown to people.
  package let name: String

  /// A host by its parts, such as those of a record.
  package init(machine: String, boot: String?, processes: UInt64?, name: String) {
    self.machine = machine
    self.boot = boot
    self.processes = processes
    self.name = name
  }

  /// The host of this process.
  package static let current = read()

  /// A machine without an identity is known by its host name.
  private static func read() -> Host {
    let name = (try? HostIdentity.name()).flatMap { $0.isEmpty ? nil : $0 } ?? "localhost"
    var identity = try? HostIdentity.machine(path: "/etc/machine-id")
    if identity == nil { identity = try? HostIdentity.machine(path: "/var/lib/dbus/machine-id") }
    let text = "recorder host 1\n" + (identity ?? "name " + name)
    return Host(
      machine: String(SHA256(of: text.utf8).hexadecimal.prefix(32)),
      boot: try? HostIdentity.boot(), processes: try? HostIdentity.processSpace(), name: name)
  }
}

extension Host {
  /// The relation of a recorded host to this one, which decides how far its record is trusted.
  package enum Relation: Hashable, Sendable {
    /// The same processes: numbers and locks mean the same.
    case here
    /// An earlier boot or a restarted container of the same machine: locks show which sessions
    /// live.
    case before
    /// Another machine, or a container beside this one: nothing here shows which sessions live
    /// there.
    case elsewhere
  }

  /// The relation of another host, such as that of a record, to this one.
  package func relation(to other: Host) -> Relation {
    if sharesProcesses(with: other) { return .here }
    // Cloned machines and the nodes of a cluster may share an identity, but not a name too.
    return machine == other.machine && name == other.name ? .before : .elsewhere
  }

  /// True if this is the same machine after another boot, so that no process of the former one
  /// lives.
  ///
  /// For the host that claimed a state directory last: it claims before it writes a record, so the
  /// host of a record is never later.
  package func hasBootedSince(_ other: Host) -> Bool {
    guard let boot, let former = other.boot else { return false }
    return machine == other.machine && name == other.name && boot != former
  }

  /// True where process numbers mean the same on both.
  package func sharesProcesses(with other: Host) -> Bool {
    boot != nil && boot == other.boot && processes != nil && processes == other.processes
  }
}

extension Host: JSONConvertible {
  /// Reads what `json` wrote; nil without a machine or a name.
  package init?(json: JSONValue) {
    guard let machine = json["machine"]?.string, let name = json["name"]?.string else { return nil }
    self.init(
      machine: machine, boot: json["boot"]?.string,
      processes: json["processes"].flatMap(UInt64.init(json:)), name: name)
  }

  /// The object as records and notes hold it; an unknown boot or namespace has no member.
  package var json: JSONValue {
    var members: JSONObject = ["machine": machine.json, "name": name.json]
    members.set("boot", boot)
    members.set("processes", processes)
    return .object(members)
  }
}

/// A file that notes the host of a session or a directory, beside the file with its other facts.
///
/// It is a file of its own because a former release reads the other one, and may refuse a key that it does not know.
struct HostNote {
  let host: Host
  /// The identifier of the recording, since another may have taken the name; nil for a whole
  /// directory.
  let identifier: String?

  private static let largest = 4_096

  /// Reads one; nil where there is none or it cannot be trusted.
  static func read(_ name: String, in path: String) -> HostNote? {
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(name, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: largest),
      let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largest)),
      let host = Host(json: json)
    else { return nil }
    return HostNote(host: host, identifier: json["id"]?.string)
  }

  /// Writes the note, completely or not at all.
  ///
  /// It is not synchronized to the disk: after a power cut no session lives that it could be about.
  func leave(as name: String, in path: String) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    do throws(SystemError) {
      let text = Array((JSONValue.object(host.noted(by: identifier)).encoded() + "\n").utf8)
      try AtomicFile.write(text.span, to: name, in: directory, survivingPowerCuts: false)
    } catch {
      throw DirectoryRefusal(path, .system(error))
    }
  }
}

extension Host {
  /// The members of a note about a recording, or about a directory.
  func noted(by identifier: String?) -> JSONObject {
    var members: JSONObject = ["schema": 1]
    members.set("id", identifier)
    for member in json.object?.members ?? [] { members[member.key] = member.value }
    return members
  }
}

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
    return names.filter { !$0.begins(with: ".") }.sorted().map { name in
      Claim(path: directory.path(of: name), host: claimant(of: directory.path(of: name)))
    }
  }
}
