package import JSON

/// The first line that a server sends: who it is and which protocol it speaks.
///
/// Of protocol 1 `status` and `stop` never change, so any client can end any session.
package struct Hello: Hashable, Sendable {
  /// What kind of process serves the socket.
  package enum Role: String, Sendable {
    case session, player
  }

  /// The protocol that this code speaks.
  package static let currentProtocol = 1

  package var role: Role
  package var protocolVersion: Int
  /// The version of the program.
  package var program: String
  package var process: Int32
  /// Which file the program was started from, so that it is noticed when an upgrade has replaced it.
  package var build: String?

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
  package init?(json: JSONValue) {
    guard let role = json["role"]?.string.flatMap(Role.init(rawValue:)),
      let version = json["protocol"]?.integer, let program = json["recorder"]?.string,
      let process = json["pid"]?.integer(in: 1...Int32.max)
    else { return nil }
    self.init(
      role: role, program: program, process: process, protocolVersion: Int(clamping: version),
      build: json["build"]?.string)
  }

  package var json: JSONValue {
    var members: JSONObject = [
      "recorder": program.json, "protocol": protocolVersion.json, "role": role.rawValue.json,
      "pid": process.json,
    ]
    members.set("build", build)
    return .object(members)
  }
}
