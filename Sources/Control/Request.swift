package import JSON

/// One line from a client: a verb with its arguments, and a number that the reply repeats.
package struct Request: Hashable, Sendable {
  package var number: Int64
  /// What is to be done, such as `stop`.
  package var verb: String
  package var arguments: JSONObject

  package init(_ verb: String, _ arguments: JSONObject = [:], number: Int64 = 1) {
    self.number = number
    self.verb = verb
    self.arguments = arguments
  }
}

extension Request: JSONConvertible {
  package init?(json: JSONValue) {
    guard var members = json.object, let number = members["id"]?.integer,
      let verb = members["do"]?.string
    else { return nil }
    members["id"] = nil
    members["do"] = nil
    self.init(verb, members, number: number)
  }

  package var json: JSONValue {
    var members: JSONObject = ["id": .integer(number), "do": .string(verb)]
    for member in arguments.members { members[member.key] = member.value }
    return .object(members)
  }
}
