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

/// The state directories of the machines that share a home, one beneath it for each.
///
/// So the names of recordings, their locks and the player belong to one machine.
package struct MachineDirectories: Hashable, Sendable {
  /// The directory of the home.
  package let home: String
  /// The host whose state directory is looked for.
  package let host: Host

  /// The directories of a home as `host` sees it.
  package init(home: String, host: Host = .current) {
    self.home = home
    self.host = host
  }

  /// The file in a state directory that names its machine, in its latest boot.
  static let file = "machine.json"
  private static let largest = 4_096

  private var directory: String { home + "/machines" }

  /// The state directory of this machine; reading it writes nothing.
  package var state: String { directory.path(of: host.machine) }

  /// The state directories of other machines, with their hosts.
  package var others: [(path: String, host: Host)] {
    guard let machines = try? PrivateDirectory.open(directory), let names = try? machines.names()
    else { return [] }
    return names.filter { !$0.begins(with: ".") && !$0.isSameName(as: host.machine) }.sorted()
      .compactMap { name in
        let path = machines.path(of: name)
        return Self.claimant(of: path).map { (path, $0) }
      }
  }

  /// Makes the state directory of this machine, notes this boot in it, and returns its path.
  ///
  /// A directory in which that cannot be written, as on a full disk, is used all the same. The note is
  /// not synchronized to the disk: after a power cut no session lives that it could be about.
  package func claim() throws(DirectoryRefusal) -> String {
    let directory = try PrivateDirectory.make(at: state)
    if Self.claimant(of: state) != host {
      let text = Array((host.json.encoded() + "\n").utf8)
      try? AtomicFile.removeLeftovers(of: Self.file, in: directory)
      try? AtomicFile.write(text.span, to: Self.file, in: directory, survivingPowerCuts: false)
    }
    return state
  }

  /// The host that last recorded or played from a state directory; nil if it is not known.
  private static func claimant(of path: String) -> Host? {
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(file, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: largest),
      let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largest))
    else { return nil }
    return Host(json: json)
  }
}
