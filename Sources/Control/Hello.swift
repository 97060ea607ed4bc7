package import JSON

/// The first line that a server sends: its role, its process and its protocol.
///
/// Of protocol 1 `status` and `stop` never change, so any client can end any session.
package struct Hello: Hashable, Sendable {
  /// The kind of process that serves the socket.
  package enum Role: String, Sendable {
    case session, player
  }

  /// The protocol that this code speaks.
  package static let currentProtocol = 1

  /// A session or the player.
  package var role: Role
  /// The protocol that the server speaks, `currentProtocol` or another.
  package var protocolVersion: Int
  /// The version of the program.
  package var program: String
  /// The process number of the server in its own process namespace.
  package var process: Int32
  /// The identity of the file that the program was started from, to notice an upgrade; nil where
  /// unknown.
  package var build: String?

  /// The first line of this server; the protocol is the current one unless another is given.
  package init(
    role: Role, program: String, process: Int32, protocolVersion: Int = Self.currentProtocol,
    build: String? = nil
  ) {
    self.role = role
    self.program = program
    self.process = process
    self.protocolVersion = protocolVersion
    self.build = build
  }
}

extension Hello: JSONConvertible {
  /// Reads what `json` wrote; nil where a member is missing or the process number is not positive.
  package init?(json: JSONValue) {
    guard let role = json["role"]?.string.flatMap(Role.init(rawValue:)),
      let version = json["protocol"]?.integer, let program = json["recorder"]?.string,
      let process = json["pid"]?.integer(in: 1...Int32.max)
    else { return nil }
    self.init(
      role: role, program: program, process: process, protocolVersion: Int(clamping: version),
      build: json["build"]?.string)
  }

  /// The line as it is sent, with the keys that clients of every release know.
  package var json: JSONValue {
    var members: JSONObject = [
      "recorder": program.json, "protocol": protocolVersion.json, "role": role.rawValue.json,
      "pid": process.json,
    ]
    members.set("build", build)
    return .object(members)
  }
}
