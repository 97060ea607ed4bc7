package import Linux

/// Where sessions leave what others look for: sockets, locks, records of what runs, results, the catalogue.
package struct SessionPlaces: Hashable, Sendable {
  /// What survives the session, and the end of the login too.
  package let state: String
  /// Sockets only.
  package let runtime: String

  package init(state: String, runtime: String) {
    self.state = state
    self.runtime = runtime
  }

  /// This user's.
  package static func current() throws(DirectoryRefusal) -> SessionPlaces {
    let facts: BaseDirectories.Facts
    do {
      facts = try .current()
    } catch {
      throw DirectoryRefusal("/", .system(error))
    }
    let base = try BaseDirectories(facts)
    return SessionPlaces(state: base.state, runtime: base.runtime)
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
  /// The saved takes, a line each, in the state directory.
  package static let catalogue = "takes.jsonl"
}
