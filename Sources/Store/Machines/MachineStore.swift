internal import JSON
internal import Linux

/// The state of one machine in the home directory: its sessions, its takes and its deliveries.
package struct MachineStore: Sendable {
  /// The paths of the machine.
  package let paths: SessionPaths
  /// The host of this process.
  package let host: Host
  /// The name of a host that the user has declared permanently gone, or nil if there is none. A
  /// recording of this host counts as dead unless the lock of the recording is held.
  package var gone: String?
  /// The host of a store that belongs to another machine, or nil for the store of this machine.
  package private(set) var owner: Host?

  /// Creates the store at `paths`. `host` is the host that uses the store, by default the host of
  /// this process.
  package init(_ paths: SessionPaths, host: Host = .current) {
    self.paths = paths
    self.host = host
  }

  /// Returns true if `host` no longer exists, because it is the host named by `gone`.
  package func isGone(_ host: Host?) -> Bool {
    guard let host, let gone else { return false }
    return host.name.isSameName(as: gone)
  }

  /// The maximum size in bytes of a record, or of a line in a list. It is large, because a line can
  /// contain the texts of all marks of a take.
  static let largest = 1 << 24
}

extension MachineStore {
  /// The stores of the other machines that share the home directory.
  package var others: [MachineStore] {
    MachineDirectories(home: paths.home, host: host).others.map { other in
      var store = MachineStore(
        SessionPaths(state: other.path, runtime: paths.runtime, home: paths.home), host: host)
      store.owner = other.host
      store.gone = gone
      return store
    }
  }

  /// Removes the temporary files that killed processes left, and records that are no longer needed.
  package func removeAbandoned() {
    for path in [paths.sessions, paths.results, paths.interrupted, paths.meters] {
      if let directory = try? PrivateDirectory.open(path) {
        AtomicFile.removeAbandoned(in: directory)
      }
    }
    deadSessions.removeOutdated()
  }

  /// Returns the values of all JSON files in a directory, sorted by file name.
  func all<Value: JSONConvertible>(in path: String) -> [Value] {
    guard let directory = try? PrivateDirectory.open(path), let names = try? directory.names()
    else { return [] }
    return names.filter { $0.ends(with: ".json") && !$0.begins(with: ".") }.sorted()
      .compactMap { directory.value(of: $0, upTo: Self.largest) }
  }

  func read<Value: JSONConvertible>(_ name: String, in path: String) -> Value? {
    guard let directory = try? PrivateDirectory.open(path) else { return nil }
    return directory.value(of: name, upTo: Self.largest)
  }

  func write(
    _ value: some JSONConvertible, to name: String, in path: String
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    try DirectoryRefusal.of(path, directory.write(value, to: name))
  }

  func remove(_ name: String, in path: String) {
    guard let directory = try? PrivateDirectory.open(path) else { return }
    try? directory.remove(name)
  }
}
