package import Control
package import Linux

/// Where sessions leave what others look for: sockets, locks, records of what runs, results, the catalogue.
package struct SessionPaths: Hashable, Sendable {
  /// The directory that survives the session, and the end of the login too; this machine's own where several share a home.
  package let state: String
  /// Sockets only.
  package let runtime: String
  /// The state directory of the home, which further machines have theirs in.
  package let home: String

  package init(state: String, runtime: String, home: String? = nil) {
    self.state = state
    self.runtime = runtime
    self.home = home ?? state
  }

  /// This user's on this machine.
  ///
  /// - Parameter claiming: whether something is about to be left there, so that other machines keep away.
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

  /// This user's directories, whichever machine they are used from.
  static func base() throws(DirectoryRefusal) -> BaseDirectories {
    let facts: BaseDirectories.Facts
    do {
      facts = try .current()
    } catch {
      throw DirectoryRefusal("/", .system(error))
    }
    return try BaseDirectories(facts)
  }

  /// Locks, records and logs of sessions.
  package var sessions: String { state + "/sessions" }
  /// What became of sessions and was not read yet.
  package var results: String { state + "/results" }
  /// Records of sessions that died.
  package var interrupted: String { state + "/interrupted" }
  /// What files are about to become that get their names.
  package var ending: String { state + "/ending" }

  /// Records of meters that listen.
  package var meters: String { state + "/meters" }

  /// The socket of a meter; no recording can be called so.
  package func socket(ofMeter identifier: String) -> String {
    runtime + "/" + Self.socket(ofMeter: identifier)
  }

  static func socket(ofMeter identifier: String) -> String { "_meter-\(identifier).sock" }

  /// The socket of a session.
  package func socket(of name: SessionName) -> String { runtime + "/" + name.text + ".sock" }
  /// What a session says where nobody sees it.
  package func log(of name: SessionName) -> String { sessions + "/" + name.text + ".log" }

  /// The file whose lock says that a session of the name lives.
  package static func lock(of name: SessionName) -> String { name.text + ".lock" }
  /// The file that says what a session does.
  package static func record(of name: SessionName) -> String { name.text + ".json" }
  /// The file that says on which host the session of a name lives.
  static func host(of name: SessionName) -> String { name.text + ".host" }
  /// The file that marks the session of a name as one that a program of somebody else's hosts.
  static func hosted(_ name: SessionName) -> String { name.text + ".hosted" }
  /// The same of a session whose name another has taken; nil for an identifier that is none of ours.
  static func host(of record: SessionRecord) -> String? {
    SessionName(record.identifier).map(host)
  }
  /// The file with the numbers of the parts that the session of a name writes.
  static func parts(of name: SessionName) -> String { name.text + ".parts" }
  /// The same of a session whose name another has taken; nil for an identifier that is none of ours.
  static func parts(of record: SessionRecord) -> String? {
    SessionName(record.identifier).map(parts)
  }
  /// The saved takes, a line each, in the state directory.
  package static let catalogue = "takes.jsonl"
}
