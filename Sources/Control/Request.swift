package import JSON

/// One line from a client: a verb with its arguments, and a number that the reply repeats.
package struct Request: Hashable, Sendable {
  /// The number that the reply repeats, counted by the client.
  package var number: Int64
  /// The action, such as `stop`.
  package var verb: String
  /// The members of the line besides `id` and `do`.
  package var arguments: JSONObject

  /// A request without arguments unless some are given.
  package init(_ verb: String, _ arguments: JSONObject = [:], number: Int64 = 1) {
    self.number = number
    self.verb = verb
    self.arguments = arguments
  }
}

extension Request: JSONConvertible {
  /// Reads a line of a client; nil without a number or a verb.
  package init?(json: JSONValue) {
    guard var members = json.object, let number = members["id"]?.integer,
      let verb = members["do"]?.string
    else { return nil }
    members["id"] = nil
    members["do"] = nil
    self.init(verb, members, number: number)
  }

  /// The line as it is sent; the arguments are members beside `id` and `do`.
  package var json: JSONValue {
    var members: JSONObject = ["id": .integer(number), "do": .string(verb)]
    for member in arguments.members { members[member.key] = member.value }
    return .object(members)
  }
}
