package import Permission
package import PipeWire

/// A program that records, as the kernel identifies it.
package struct GuardedProgram: Hashable, Sendable {
  /// The client in the decisions about the program.
  package let client: Client
  /// The name for people.
  package let title: String
  /// Its process, for the log.
  package let process: ProcessFacts

  /// Creates the description of a program.
  package init(client: Client, title: String, process: ProcessFacts) {
    (self.client, self.title, self.process) = (client, title, process)
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
}

extension GuardedProgram {
  /// Returns the access that a use needs. The connection is the session.
  ///
  /// - Parameter device: the name of the device, for the log.
  func query(_ use: Graph.Use, of device: String? = nil) -> AccessQuery {
    var query = AccessQuery(
      [use.service], client: client, device: .unresolved,
      session: SessionID(of: process.id, connection: use.client))
    query.deviceName = device
    return query
  }
}

extension GuardQuestion {
  /// The access that the question is about.
  package var query: AccessQuery { program.query(use, of: device) }
}

extension SessionID {
  /// The session of a process that has a connection with this number.
  init?(of process: Int32, connection: UInt32) {
    self.init("guard.\(process).\(connection)")
  }

  /// The number of the connection.
  var connection: UInt32? {
    text.utf8.split(separator: UInt8(ascii: ".")).last.flatMap { UInt32(Substring($0)) }
  }
}
