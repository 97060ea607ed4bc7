internal import Linux
package import Permission
package import PipeWire

/// A program that records, as the kernel identifies it.
package struct GuardedProgram: Hashable, Sendable {
  /// The client that stands for the program in decisions about it.
  package let client: Client
  /// The name for people.
  package let title: String
  /// Its process, for the log.
  package let process: ProcessFacts
  /// The session of its connection, or nil before the server has sent the details of its client.
  package let session: SessionID?

  /// Creates the description of a program.
  package init(
    client: Client, title: String, process: ProcessFacts, session: SessionID? = nil
  ) {
    (self.client, self.title, self.process) = (client, title, process)
    self.session = session
  }

  /// The name of the client, or nil if the program is unknown.
  package var identifier: String? { client.isIdentified ? client.name : nil }
}

/// The program of a connection, the status of its access to a service, and whether the user may be
/// asked about it.
package typealias GuardedAccess = (
  program: GuardedProgram, status: AuthorizationStatus, mayAsk: Bool
)

/// A question about an undecided program.
package struct GuardQuestion: Hashable, Sendable {
  /// The number of the question, unique in this guard.
  package let number: Int
  /// The program.
  package let program: GuardedProgram
  /// The use that caused the question.
  package let use: Graph.Use
  /// The description of the device.
  package let device: String
  /// The time after which the program counts as refused, on the monotonic clock.
  package let deadline: Duration

  /// The time for an answer. After this time, the program counts as refused.
  package static let patience = Duration.seconds(60)
}

extension GuardedProgram {
  /// Returns the access that a use needs.
  ///
  /// - Parameter device: the name of the device, for the log.
  func query(_ use: Graph.Use, of device: String? = nil) -> AccessQuery {
    var query = AccessQuery(
      [use.service], client: client, device: .unresolved, session: session)
    query.deviceName = device
    return query
  }
}

extension GuardQuestion {
  /// The access that the question is about.
  package var query: AccessQuery { program.query(use, of: device) }
}

extension SessionID {
  /// The session of a connection. No later connection has the same session: a server never repeats
  /// a serial number, and another server has another random number. The result is nil if the graph
  /// has no such connection.
  init?(of connection: UInt32, in graph: Graph) {
    guard let server = graph.server, let serial = graph.clients[connection]?.serial,
      !serial.isEmpty
    else { return nil }
    self.init("guard.\(server).\(serial)")
  }
}

extension RunningProgram {
  /// The name for people. The name that the program reports is not used: it could be the name of
  /// another program. The name of an interpreter's script is not reliable either, so the name of
  /// the executable comes first.
  var title: String {
    let client = Client(identity)
    let name = client.isIdentified ? client.baseName : "an unknown program"
    return script.map { "\(name) (\($0))" } ?? name
  }
}
