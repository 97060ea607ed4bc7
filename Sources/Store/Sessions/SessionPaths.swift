package import Control
package import Linux

/// The paths of sessions: sockets, locks, records of live sessions, results and the catalogue.
package struct SessionPaths: Hashable, Sendable {
  /// The directory that survives the session and the login; this machine's own where several share
  /// a home.
  package let state: String
  /// The directory for sockets only.
  package let runtime: String
  /// The state directory of the home; further machines have theirs beneath it.
  package let home: String

  /// The paths under these directories; the home is the state directory unless it is given.
  package init(state: String, runtime: String, home: String? = nil) {
    self.state = state
    self.runtime = runtime
    self.home = home ?? state
  }

  /// The paths of this user on this machine.
  ///
  /// - Parameter claiming: true where a file is about to be written there, so that other machines
  ///   keep away.
  package static func current(
    claiming: Bool = false
  ) throws(DirectoryRefusal) -> SessionPaths {
    let base = try base()
    let hosts = MachineDirectories(home: base.state)
    let state = claiming ? try hosts.claim() : hosts.state
    guard state != base.state else {
      return SessionPaths(state: state, runtime: base.runtime)
    }
    // Containers may share the runtime directory as well.
    let runtime =
      base.runtime == base.state ? state : base.runtime + "/" + hosts.host.machine.prefix(8)
    return SessionPaths(state: state, runtime: runtime, home: base.state)
  }

  /// The directories of this user, independent of the machine.
  static func base() throws(DirectoryRefusal) -> BaseDirectories {
    let facts: BaseDirectories.Facts
    do {
      facts = try .current()
    } catch {
      throw DirectoryRefusal("/", .system(error))
    }
    return try BaseDirectories(facts)
  }

  /// The directory for locks, records and logs of sessions.
  package var sessions: String { state + "/sessions" }
  /// The directory for results of sessions that have not been read yet.
  package var results: String { state + "/results" }
  /// The directory for records of sessions that died.
  package var interrupted: String { state + "/interrupted" }
  /// The directory for announcements of files that are about to get their names.
  package var ending: String { state + "/ending" }

  /// The directory for records of meters that capture.
  package var meters: String { state + "/meters" }

  /// The socket of a meter; no recording can have its name.
  package func socket(ofMeter identifier: String) -> String {
    runtime + "/" + Self.socket(ofMeter: identifier)
  }

  static func socket(ofMeter identifier: String) -> String { "_meter-\(identifier).sock" }

  /// The socket of a session.
  package func socket(of name: SessionName) -> String { runtime + "/" + name.text + ".sock" }
  /// The log of a session without a terminal.
  package func log(of name: SessionName) -> String { sessions + "/" + name.text + ".log" }

  /// The lock file of a name; a live session holds its lock.
  package static func lock(of name: SessionName) -> String { name.text + ".lock" }
  /// The file that holds the record of the session of a name.
  package static func record(of name: SessionName) -> String { name.text + ".json" }
  /// The file that notes the host of the session of a name.
  static func host(of name: SessionName) -> String { name.text + ".host" }
  /// The file that marks a session in a program that is not its own process.
  static func hosted(_ name: SessionName) -> String { name.text + ".hosted" }
  /// The host note of a session that was set aside; nil for an identifier that is not valid.
  static func host(of record: SessionRecord) -> String? {
    SessionName(record.identifier).map(host)
  }
  /// The file with the numbers of the parts that the session of a name writes.
  static func parts(of name: SessionName) -> String { name.text + ".parts" }
  /// The note of a session that was set aside; nil for an identifier that is not valid.
  static func parts(of record: SessionRecord) -> String? {
    SessionName(record.identifier).map(parts)
  }
  /// The file of saved takes in the state directory, one line each.
  package static let catalogue = "takes.jsonl"
}
