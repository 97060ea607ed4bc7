package import JSON
package import Linux

/// One line from a client: a verb with its arguments, and a number. The reply repeats the number.
package struct Request: Hashable, Sendable {
  /// The number of the request, which the client chooses and the reply repeats.
  package var number: Int64
  /// The action, such as `stop`.
  package var verb: String
  /// The members of the line besides `id` and `do`.
  package var arguments: JSONObject

  /// Creates a request.
  package init(_ verb: String, _ arguments: JSONObject = [:], number: Int64 = 1) {
    self.number = number
    self.verb = verb
    self.arguments = arguments
  }
}

extension Request: JSONConvertible {
  /// Reads a line from a client. The result is nil if the number or the verb is missing.
  package init?(json: JSONValue) {
    guard var members = json.object, let number = members["id"]?.integer,
      let verb = members["do"]?.string
    else { return nil }
    members["id"] = nil
    members["do"] = nil
    self.init(verb, members, number: number)
  }

  /// The JSON object to send: `id`, `do` and the arguments.
  package var json: JSONValue {
    var members: JSONObject = ["id": .integer(number), "do": .string(verb)]
    for member in arguments.members { members[member.key] = member.value }
    return .object(members)
  }
}

/// The answer to one request.
package enum Reply: Hashable, Sendable {
  /// The request succeeded with this result.
  case done(JSONObject)
  /// The request was not carried out. The value is the reason.
  case refused(Refusal)

  /// The request succeeded without a result.
  package static let done = Reply.done([:])
}

/// A reason why a request was not carried out.
package struct Refusal: Error, Hashable, Sendable {
  /// The exit code for the client's command.
  package var exit: Int32
  /// One line that states the error, the affected object and the cause.
  package var message: String
  /// A step that may help the user, or nil if none is known.
  package var advice: String?

  /// A refusal that makes the client's command exit with `exit`.
  package init(exit: Int32, _ message: String, advice: String? = nil) {
    self.exit = exit
    self.message = message
    self.advice = advice
  }
}

extension Reply {
  /// Reads a reply and the number of the request that it answers. Returns nil if the line is not a
  /// reply.
  static func read(_ json: JSONValue) -> (number: Int64, reply: Reply)? {
    guard let number = json["id"]?.integer, let isDone = json["ok"]?.bool else { return nil }
    if isDone { return (number, .done(json["result"]?.object ?? [:])) }
    guard let exit = json["exit"].flatMap(Int32.init(json:)), let message = json["message"]?.string
    else { return nil }
    return (number, .refused(Refusal(exit: exit, message, advice: json["advice"]?.string)))
  }

  /// Returns the line that answers the request with this number.
  func json(answering number: Int64) -> JSONValue {
    switch self {
    case .done(let result):
      return ["id": .integer(number), "ok": true, "result": .object(result)]
    case .refused(let refusal):
      var members: JSONObject = ["id": .integer(number), "ok": false]
      members.set("exit", refusal.exit)
      members.set("message", refusal.message)
      members.set("advice", refusal.advice)
      return .object(members)
    }
  }
}

/// The actions that a client can request from a session. The raw values are the verbs of the
/// protocol.
package enum SessionVerb: String, Sendable {
  case status
  case watch
  case pause
  case resume
  case toggle
  case mark
  case split
  case trigger
  case stop
  case wait
  case cancel
  /// Sends the frames of the take as packets (`TapPacket`) over the connection of the request.
  case tap
  /// Checks the access again, after a stored decision has changed.
  case permission
}

/// The actions that a client can request from the player. The raw values are the verbs of the
/// protocol.
package enum PlayerVerb: String, Sendable {
  case status
  case watch
  /// Ends an idle player, so that another player can start.
  case leave
  case play
  case stop
  case pause
  case resume
  case rewind
  case replay
  case seek
  case volume
  case mute
  case unmute
  case prepare
}

/// A reason why a request to a session, the player or the guard got no result.
package enum ControlError: Error, Hashable, Sendable {
  /// No process listens at the path.
  case notRunning(path: String)
  /// The server belongs to another user.
  case foreign(path: String, user: UInt32)
  /// The server closed the connection before it answered.
  case closed
  /// No answer came in time.
  case timedOut
  /// The request is too long for the server, and was not sent.
  case tooLong(bytes: Int)
  /// A received line does not follow the protocol.
  case malformed
  /// The server cannot accept another client.
  case busy
  /// The server understood the request and refused it.
  case refused(Refusal)
  /// A system call failed.
  case system(SystemError)
}

extension ControlError: CustomStringConvertible {
  /// The reason as a message, with paths escaped for a terminal.
  package var description: String {
    switch self {
    case .notRunning(let path): "no program listens at \(PrintableText.quoted(path))"
    case .foreign(let path, let user):
      "\(PrintableText.quoted(path)) belongs to user \(user)"
    case .closed: "the connection was closed"
    case .timedOut: "timed out"
    case .tooLong(let bytes):
      "the request has \(bytes) bytes, but the limit is \(Wire.longestLine)"
    case .malformed: "the answer does not follow the protocol"
    case .busy: "too many programs are connected"
    case .refused(let refusal): refusal.message
    case .system(let error): "\(error)"
    }
  }
}
