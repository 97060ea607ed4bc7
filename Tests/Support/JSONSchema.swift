import Foundation

/// A JSON Schema with the keywords that docs/json.schema.json uses. Any other keyword is an error,
/// so that no keyword is ignored.
package struct JSONSchema {
  private let root: [String: Any]

  /// Reads a schema file.
  package init(_ path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// The names of its definitions.
  package var names: [String] { definitions.keys.sorted() }

  /// The names of all members of its objects.
  package var members: Set<String> {
    Set(definitions.values.flatMap(Self.members))
  }

  private var definitions: [String: Any] { root["$defs"] as? [String: Any] ?? [:] }

  private static func members(_ schema: Any) -> [String] {
    guard let schema = schema as? [String: Any] else { return [] }
    let own = schema["properties"] as? [String: Any] ?? [:]
    return own.keys + own.values.flatMap(members) + (schema["items"].map(members) ?? [])
  }

  /// Returns the flaws of a line of JSON, each with its position. The list is empty if the line
  /// matches the definition.
  package func flaws(of line: String, as name: String) -> [String] {
    guard let definition = definitions[name] else { return ["there is no definition \(name)"] }
    let value = try? JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
    guard let value else { return ["it is not JSON"] }
    return flaws(value, definition, name)
  }

  private func flaws(_ value: Any, _ schema: Any, _ place: String) -> [String] {
    guard let schema = schema as? [String: Any] else { return ["\(place): no schema"] }
    return schema.flatMap { keyword, rule -> [String] in
      switch keyword {
      case "$ref":
        let name = (rule as? String)?.split(separator: "/").last.map(String.init) ?? ""
        return definitions[name].map { flaws(value, $0, place) } ?? ["no definition \(name)"]
      case "anyOf":
        let found = (rule as? [Any] ?? []).map { flaws(value, $0, place) }
        return found.contains([]) ? [] : found.first ?? ["\(place): nothing to choose from"]
      case "type":
        let names = rule as? [String] ?? [rule as? String ?? ""]
        return names.contains { Self.is(value, $0) } ? [] : ["\(place) is no \(names)"]
      case "enum":
        let words = rule as? [NSObject] ?? []
        return words.contains { $0 == value as? NSObject } ? [] : ["\(place) is none of \(words)"]
      case "minimum":
        let least = (rule as? NSNumber)?.doubleValue ?? .infinity
        guard let number = value as? NSNumber else { return [] }
        return number.doubleValue < least ? ["\(place) is too small"] : []
      case "pattern":
        guard let text = value as? String, let pattern = rule as? String else { return [] }
        let isFound = text.range(of: pattern, options: .regularExpression) != nil
        return isFound ? [] : ["\(place) has another form"]
      case "items":
        return (value as? [Any] ?? []).enumerated().flatMap { flaws($1, rule, "\(place)[\($0)]") }
      case "properties", "required", "additionalProperties":
        return keyword == "properties" ? memberFlaws(value, schema, place) : []
      default: return ["\(place): the keyword \(keyword) is unknown"]
      }
    }
  }

  private func memberFlaws(_ value: Any, _ schema: [String: Any], _ place: String) -> [String] {
    guard let object = value as? [String: Any] else { return [] }
    let known = schema["properties"] as? [String: Any] ?? [:]
    let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
    return missing.map { "\(place).\($0) is missing" }
      + object.keys.filter { known[$0] == nil }.map { "\(place).\($0) is unknown" }
      + object.flatMap { key, value in
        known[key].map { flaws(value, $0, "\(place).\(key)") } ?? []
      }
  }

  private static func `is`(_ value: Any, _ type: String) -> Bool {
    let number = value as? NSNumber
    let isBool = number.map { isBoolean($0) } ?? false
    return switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": isBool
    case "null": value is NSNull
    case "number": number != nil && !isBool
    case "integer": number.map { !isBool && $0.doubleValue == $0.doubleValue.rounded() } ?? false
    default: false
    }
  }

  /// Returns whether a number was `true` or `false`.
  private static func isBoolean(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c"
  }
}
