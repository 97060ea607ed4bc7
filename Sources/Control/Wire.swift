package import JSON

/// The message format: one JSON object per line.
package enum Wire {
  /// The largest number of bytes in a line from a client, including the newline.
  package static let longestLine = 65_536
  /// The largest number of bytes in a line from a server, including the newline. The limit is high
  /// because the result of a take has the texts of all marks. A line of the catalogue has the same
  /// limit.
  static let longestReply = 1 << 24

  static func line(_ value: JSONValue) -> [UInt8] {
    Array(value.encoded().utf8) + [UInt8(ascii: "\n")]
  }

  /// Returns the line with a reply. If the reply is too long for a client, returns the line with a
  /// refusal instead.
  static func line(_ reply: Reply, answering number: Int64) -> [UInt8] {
    let line = Self.line(reply.json(answering: number))
    guard line.count > longestReply else { return line }
    let refusal = Refusal(exit: 1, "the reply is too long: \(line.count) bytes")
    return Self.line(Reply.refused(refusal).json(answering: number))
  }

  /// Collects received bytes and returns complete lines.
  struct Inbox: Sendable {
    private var bytes: [UInt8] = []
    /// The number of bytes at the beginning that contain no newline.
    private var searched = 0
    private let longest: Int

    /// An inbox for lines of at most `longest` bytes, including the newline.
    init(longest: Int) { self.longest = longest }

    /// Whether the inbox has the beginning of an incomplete line.
    var isPartial: Bool { !bytes.isEmpty }

    /// The bytes after the last complete line.
    var remainder: [UInt8] { bytes }

    mutating func append(_ received: ArraySlice<UInt8>) { bytes += received }

    /// Returns the next complete line without the newline, or nil if more bytes are needed. Throws
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

/// The two lines between the command `start` and its session: the plan for the session, and the
/// outcome of the start.
package enum StartLine {
  /// Returns the plan as a line.
  package static func plan(_ plan: RecordingPlan) -> [UInt8] { Wire.line(plan.json) }

  /// Returns the line that reports the first captured frame. The line has the current state of the
  /// session.
  package static func began(_ status: RecordingStatus) -> [UInt8] {
    Wire.line(Reply.done(status.json.object ?? [:]).json(answering: 0))
  }

  /// Returns the line that reports a refused start.
  package static func refused(_ refusal: Refusal) -> [UInt8] {
    Wire.line(Reply.refused(refusal).json(answering: 0))
  }

  /// Reads the plan from a line. Returns nil if the line is not a plan.
  package static func plan(from line: some Collection<UInt8>) -> RecordingPlan? {
    json(line).flatMap(RecordingPlan.init(json:))
  }

  /// Reads the outcome of the start from a line. Returns nil if the line is not an outcome.
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
/// In protocol 1, the requests `status` and `stop` never change. So a client of any version can end
/// any session.
package struct Hello: Hashable, Sendable {
  /// The kind of process that serves the socket.
  package enum Role: String, Sendable {
    case session, player, `guard`
  }

  /// The version of the protocol that this code uses.
  package static let currentProtocol = 1

  /// The kind of process that serves the socket.
  package var role: Role
  /// The version of the protocol that the server uses. It may differ from `currentProtocol`.
  package var protocolVersion: Int
  /// The version of the server's program.
  package var program: String
  /// The process number of the server in its own process namespace.
  package var process: Int32
  /// The identity of the executable file that the server runs, or nil if it is unknown. If the
  /// installed file has another identity, the program was upgraded after the server started.
  package var build: String?

  /// Creates the first line of this server. The protocol is the current version, unless another
  /// version is given.
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
  /// A first line with placeholders. Reading JSON replaces its members.
  package static var blank: Hello { Hello(role: .session, program: "", process: 0) }

  /// Lists the members. Their keys never change, so clients of all versions can read them.
  package mutating func list(in form: inout JSONForm) {
    form.member("recorder", &program)
    form.member("protocol", &protocolVersion)
    form.member("role", &role)
    form.member("pid", &process, in: 1...Int32.max)
    form.member("build", &build)
  }
}

extension Hello.Role: JSONConvertible {}
