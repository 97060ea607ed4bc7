package import JSON

/// The message format: one JSON object per line.
package enum Wire {
  /// The largest number of bytes in a line from a client, including its end.
  package static let longestLine = 65_536
  /// The largest number of bytes in a line from a server, including its end. The result of a take
  /// has the texts of its marks, and lines of the catalogue have the same limit.
  static let longestReply = 1 << 24

  static func line(_ value: JSONValue) -> [UInt8] {
    Array(value.encoded().utf8) + [UInt8(ascii: "\n")]
  }

  /// The line with a reply, or with the reason if the reply is too long for a client.
  static func line(_ reply: Reply, answering number: Int64) -> [UInt8] {
    let line = Self.line(reply.json(answering: number))
    guard line.count > longestReply else { return line }
    let refusal = Refusal(exit: 1, "the reply is too long: \(line.count) bytes")
    return Self.line(Reply.refused(refusal).json(answering: number))
  }

  /// Collects received bytes and returns complete lines.
  struct Inbox: Sendable {
    private var bytes: [UInt8] = []
    /// The number of bytes that contain no end of a line.
    private var searched = 0
    private let longest: Int

    /// An inbox for lines of at most `longest` bytes, including their end.
    init(longest: Int) { self.longest = longest }

    /// Whether a line has begun but not ended.
    var isPartial: Bool { !bytes.isEmpty }

    /// The bytes after the last complete line.
    var remainder: [UInt8] { bytes }

    mutating func append(_ received: ArraySlice<UInt8>) { bytes += received }

    /// Returns the next complete line without its end, or nil until more bytes arrive. Throws
    /// `malformed` if the line exceeds the maximum length.
    mutating func next() throws(ControlError) -> [UInt8]? {
      guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
        searched = bytes.count
        if bytes.count >= longest { throw .malformed }
        return nil
      }
      if end >= longest { throw .malformed }
      let line = Array(bytes[..<end])
      bytes.removeSubrange(...end)
      searched = 0
      return line
    }
  }
}

/// The two lines between `start` and its session: the plan for the session, and the outcome of the
/// start.
package enum StartLine {
  /// The plan as a line.
  package static func plan(_ plan: RecordingPlan) -> [UInt8] { Wire.line(plan.json) }

  /// The line that reports the first captured frame, with the current state of the session.
  package static func began(_ status: RecordingStatus) -> [UInt8] {
    Wire.line(Reply.done(status.json.object ?? [:]).json(answering: 0))
  }

  /// The line that reports a refused start.
  package static func refused(_ refusal: Refusal) -> [UInt8] {
    Wire.line(Reply.refused(refusal).json(answering: 0))
  }

  /// Reads the plan from its line, or returns nil if the line is not a plan.
  package static func plan(from line: some Collection<UInt8>) -> RecordingPlan? {
    json(line).flatMap(RecordingPlan.init(json:))
  }

  /// Reads the session's answer, or returns nil if the line is not an answer.
  package static func answer(
    from line: some Collection<UInt8>
  ) -> Result<RecordingStatus, Refusal>? {
    switch json(line).flatMap(Reply.read)?.reply {
    case .done(let members): RecordingStatus(json: .object(members)).map { .success($0) }
    case .refused(let refusal): .failure(refusal)
    case nil: nil
    }
  }

  private static func json(_ line: some Collection<UInt8>) -> JSONValue? {
    try? JSONValue(
      decoding: String(decoding: line, as: UTF8.self), limits: JSONLimits(bytes: Wire.longestLine))
  }
}

/// The first line that a server sends: its role, its process and its protocol.
///
/// In protocol 1, `status` and `stop` never change, so any client can end any session.
package struct Hello: Hashable, Sendable {
  /// The kind of process that serves the socket.
  package enum Role: String, Sendable {
    case session, player, `guard`
  }

  /// The version of the protocol in this code.
  package static let currentProtocol = 1

  /// The kind of the server.
  package var role: Role
  /// The version of the protocol in the server, which may differ from `currentProtocol`.
  package var protocolVersion: Int
  /// The version of the program.
  package var program: String
  /// The process number of the server in its own process namespace.
  package var process: Int32
  /// The identity of the file that the program was started from, or nil if unknown. If the
  /// installed file has another identity, the program was upgraded.
  package var build: String?

  /// The first line of this server. Uses the current protocol unless another is given.
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

extension Hello: JSONMembers {
  /// A first line whose members are about to be read.
  package static var blank: Hello { Hello(role: .session, program: "", process: 0) }

  /// Lists the members. Their keys are known to clients of all versions.
  package mutating func list(in form: inout JSONForm) {
    form.member("recorder", &program)
    form.member("protocol", &protocolVersion)
    form.member("role", &role)
    form.member("pid", &process, in: 1...Int32.max)
    form.member("build", &build)
  }
}

extension Hello.Role: JSONConvertible {}
