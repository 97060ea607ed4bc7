package import JSON

/// The answer to one request.
package enum Reply: Hashable, Sendable {
  /// It was done; what there is to say of it.
  case done(JSONObject)
  /// It was not done.
  case refused(Refusal)

  /// It was done, and there is nothing to say.
  package static let done = Reply.done([:])
}

/// Why a request was not carried out.
package struct Refusal: Error, Hashable, Sendable {
  /// The code that the client's command exits with.
  package var exit: Int32
  /// What happened, on what, and why.
  package var message: String
  /// What to do about it.
  package var advice: String?

  package init(exit: Int32, _ message: String, advice: String? = nil) {
    self.exit = exit
    self.message = message
    self.advice = advice
  }
}

extension Reply {
  /// Reads a reply and the number of the request that it answers.
  static func read(_ json: JSONValue) -> (number: Int64, reply: Reply)? {
    guard let number = json["id"]?.integer, let isDone = json["ok"]?.bool else { return nil }
    if isDone { return (number, .done(json["result"]?.object ?? [:])) }
    guard let exit = json["exit"].flatMap(Int32.init(json:)), let message = json["message"]?.string
    else { return nil }
    return (number, .refused(Refusal(exit: exit, message, advice: json["advice"]?.string)))
  }

  /// The line that answers request `number`.
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
