internal import Digest
package import JSON
package import Linux

/// The machine, the boot and the process namespace of a process.
///
/// Several hosts may use one home directory: machines that share it over a network, containers, and
/// the same machine after a restart. A process number is valid only on its own host. On some
/// network shares, locks are also valid only on their own host.
package struct Host: Hashable, Sendable {
  /// The digest of the machine's identity. machine-id(5) requires a digest, so that the identity
  /// itself stays on the machine.
  package let machine: String
  /// The identifier of the boot, or nil if the system does not report it.
  package let boot: String?
  /// The number of the process namespace, or nil if the system does not report it.
  package let processes: UInt64?
  /// The host name, which is also shown to users.
  package let name: String

  /// The host of this process.
  package static let current = read()

  /// Reads the host of this process. A machine without an identity is identified by its host name.
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
  /// The relation between this host and the host of a record. The relation decides whether the
  /// process number and the lock of the record can be used here.
  package enum Relation: Hashable, Sendable {
    /// The same process namespace: process numbers and locks are valid here.
    case here
    /// An earlier boot or a restarted container of the same machine. Process numbers are not valid
    /// here, but locks show which sessions are alive.
    case before
    /// Another machine, or another container of this machine. This host cannot determine which
    /// sessions are alive there.
    case elsewhere
  }

  /// Returns the relation of another host, such as the host of a record, to this host.
  package func relation(to other: Host) -> Relation {
    if sharesProcesses(with: other) { return .here }
    return isSameMachine(as: other) ? .before : .elsewhere
  }

  /// Returns true if both hosts are on the same machine. Cloned machines, or the nodes of a cluster,
  /// may have the same identity. But their host names differ.
  private func isSameMachine(as other: Host) -> Bool {
    machine == other.machine && name.isSameName(as: other.name)
  }

  /// Returns true if `other` is an earlier boot of the same machine. In this case, no process of
  /// `other` is alive.
  ///
  /// The identifiers of boots have no order. So call this function on the host that claimed the
  /// state directory last, with the host of a record. A host claims the directory before it writes
  /// a record, so the boot of a record is never later than the last claim.
  package func hasBootedSince(_ other: Host) -> Bool {
    guard let boot, let former = other.boot else { return false }
    return isSameMachine(as: other) && boot != former
  }

  /// Returns true if process numbers are valid on both hosts.
  package func sharesProcesses(with other: Host) -> Bool {
    boot != nil && boot == other.boot && processes != nil && processes == other.processes
  }
}

extension Host: JSONConvertible {
  /// Reads the output of `json`. Returns nil if it has no machine or no name.
  package init?(json: JSONValue) {
    guard let machine = json["machine"]?.string, let name = json["name"]?.string else { return nil }
    self.init(
      machine: machine, boot: json["boot"]?.string,
      processes: json["processes"].flatMap(UInt64.init(json:)), name: name)
  }

  /// The JSON object in records and in `machine.json`. It has no member for an unknown boot or
  /// namespace.
  package var json: JSONValue {
    var members: JSONObject = ["machine": machine.json, "name": name.json]
    members.set("boot", boot)
    members.set("processes", processes)
    return .object(members)
  }
}

/// The state directories of the machines that share a home directory, one for each machine.
///
/// Each machine thus has its own recording names, locks and player.
package struct MachineDirectories: Hashable, Sendable {
  /// The parent directory of `machines`, below the home directory.
  package let home: String
  /// The host whose state directory is used.
  package let host: Host

  /// Prepares the paths below `home`, without creating a directory. `host` is this machine.
  package init(home: String, host: Host = .current) {
    self.home = home
    self.host = host
  }

  /// The file that names the machine of a state directory, and the latest boot of the machine.
  static let file = "machine.json"
  private static let largest = 4_096

  private var directory: String { home + "/machines" }

  /// The state directory of this machine. The directory may not exist yet.
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

  /// Creates the state directory of this machine, records this boot in it, and returns its path.
  ///
  /// The directory is used even if the boot cannot be recorded, for example on a full disk. The
  /// file with the boot is not synchronized to the disk, because no session survives a power cut.
  package func claim() throws(DirectoryRefusal) -> String {
    let directory = try PrivateDirectory.make(at: state)
    if Self.claimant(of: state) != host {
      try? AtomicFile.removeLeftovers(of: Self.file, in: directory)
      try? directory.write(host, to: Self.file, survivingPowerCuts: false)
    }
    return state
  }

  /// Returns the host that claimed a state directory last, or nil if the host is unknown.
  private static func claimant(of path: String) -> Host? {
    guard let directory = try? PrivateDirectory.open(path) else { return nil }
    return directory.value(of: file, upTo: largest)
  }
}
