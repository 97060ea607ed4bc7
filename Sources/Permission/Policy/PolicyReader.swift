internal import JSON

/// An object of a policy with its path, so that every fault can name its place.
struct PolicyReader {
  /// A fault in the text or in its structure.
  enum Misfit: Error, Hashable, Sendable {
    case syntax(JSONError)
    case shape([JSONStep], String)
  }

  private let object: JSONObject
  private let path: [JSONStep]

  init(_ object: JSONObject, path: [JSONStep]) {
    self.object = object
    self.path = path
  }

  /// Parses a text whose value is one object.
  static func document(_ bytes: [UInt8]) throws(Misfit) -> JSONObject {
    let value: JSONValue
    do {
      value = try JSONValue(decoding: bytes.span, limits: JSONLimits(depth: 8))
    } catch {
      throw .syntax(error)
    }
    guard let object = value.object else { throw .shape([], "a policy is an object in braces") }
    return object
  }

  func misfit(_ key: String, _ words: String) -> Misfit { .shape(path + [.key(key)], words) }

  func requireOnly(_ keys: String...) throws(Misfit) {
    for key in object.keys where !keys.contains(key) {
      let known = keys.map { "\"\($0)\"" }.joined(separator: ", ")
      throw misfit(key, "\"\(key)\" is unknown here; known are \(known)")
    }
  }

  func optional<Value: JSONConvertible>(_ key: String) throws(Misfit) -> Value? {
    do {
      return try object.optional(key)
    } catch {
      throw misfit(key, error.description)
    }
  }

  func value<Value: JSONConvertible>(_ key: String) throws(Misfit) -> Value {
    guard let value: Value = try optional(key) else {
      throw .shape(path, "\"\(key)\" is missing")
    }
    return value
  }

  func member(_ key: String) throws(Misfit) -> PolicyReader {
    PolicyReader(try value(key), path: path + [.key(key)])
  }

  func elements(_ key: String) throws(Misfit) -> [PolicyReader] {
    let objects: [JSONObject] = try value(key)
    return objects.enumerated().map { index, object in
      PolicyReader(object, path: path + [.key(key), .index(index)])
    }
  }

  /// Reads a member that is one of the choice's raw values.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String
  ) throws(Misfit) -> Choice {
    guard let choice = Choice(rawValue: try value(key)) else {
      let known = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
      throw misfit(key, "\"\(key)\" is \(known)")
    }
    return choice
  }
}
