internal import JSON
internal import Linux

extension Policy {
  /// Reads a policy file. An unknown key is an error, because it may be a restriction of a newer
  /// version.
  package init(decoding bytes: [UInt8], file: String) throws(PolicyFlaw) {
    let value = try mapError(
      PolicyFlaw.init, JSONValue(decoding: bytes.span, limits: JSONLimits(depth: 8)))
    guard let object = value.object else { throw PolicyFlaw(.notObject, at: [], in: bytes) }
    let reader = PolicyReader(text: bytes, object: object, path: [])
    try reader.requireOnly("version", "rules", "allowPrompt", "auditRequired")
    let version: Int = try reader.value("version")
    guard version == 1 else {
      throw reader.flaw("version", .version(version))
    }
    self.init(
      file: file, rules: try reader.elements("rules").map(Rule.init(_:)),
      allowsPrompt: try reader.optional("allowPrompt") ?? true,
      requiresAudit: try reader.optional("auditRequired") ?? false)
  }
}

extension Rule {
  fileprivate init(_ reader: PolicyReader) throws(PolicyFlaw) {
    try reader.requireOnly("service", "match", "status", "reason", "contact")
    let service: Service = try reader.choice("service")
    let match = try reader.member("match")
    try match.requireOnly("users", "groups", "devices")
    self.init(
      service: service, users: try match.names("users"),
      groups: try match.names("groups"), devices: try match.globs("devices"),
      status: try reader.choice("status"), reason: try reader.optional("reason"),
      contact: try reader.optional("contact"))
  }
}

extension PolicyReader {
  fileprivate func names(_ key: String) throws(PolicyFlaw) -> [String] {
    let names: [String] = try optional(key) ?? []
    if names.contains("") { throw flaw(key, .emptyName(key)) }
    return names
  }

  fileprivate func globs(_ key: String) throws(PolicyFlaw) -> [Glob] {
    let patterns = try names(key)
    let globs = patterns.compactMap(Glob.init)
    guard globs.count == patterns.count else {
      throw flaw(key, .pattern(key))
    }
    return globs
  }
}

extension PolicyFlaw {
  fileprivate init(_ error: JSONError) {
    if case .syntax(let line, let column, _) = error {
      self.init(kind: .json(error), line: line, column: column)
    } else {
      self.init(kind: .json(error))
    }
  }

  /// Creates a flaw. Its position is the position of the value at `path`.
  fileprivate init(_ kind: Kind, at path: [JSONStep], in bytes: [UInt8]) {
    let position = JSONPositionSearch.find(path, in: bytes)
    self.init(kind: kind, line: position.line, column: position.column)
  }
}

/// An object of a policy with its path, so that every fault can state its position.
private struct PolicyReader {
  /// The whole policy.
  let text: [UInt8]
  let object: JSONObject
  let path: [JSONStep]

  func flaw(_ key: String, _ kind: PolicyFlaw.Kind) -> PolicyFlaw {
    PolicyFlaw(kind, at: path + [.key(key)], in: text)
  }

  func requireOnly(_ keys: String...) throws(PolicyFlaw) {
    for key in object.keys where !keys.contains(key) {
      throw flaw(key, .unknownKey(key, known: keys))
    }
  }

  func optional<Value: JSONConvertible>(_ key: String) throws(PolicyFlaw) -> Value? {
    try mapError({ flaw(key, .value($0)) }, object.optional(key))
  }

  func value<Value: JSONConvertible>(_ key: String) throws(PolicyFlaw) -> Value {
    guard let value: Value = try optional(key) else {
      throw PolicyFlaw(.missingKey(key), at: path, in: text)
    }
    return value
  }

  func member(_ key: String) throws(PolicyFlaw) -> PolicyReader {
    PolicyReader(text: text, object: try value(key), path: path + [.key(key)])
  }

  func elements(_ key: String) throws(PolicyFlaw) -> [PolicyReader] {
    let objects: [JSONObject] = try value(key)
    return objects.enumerated().map { index, object in
      PolicyReader(text: text, object: object, path: path + [.key(key), .index(index)])
    }
  }

  /// Reads a member whose value must be a raw value of `Choice`.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String
  ) throws(PolicyFlaw) -> Choice {
    guard let choice = Choice(rawValue: try value(key)) else {
      throw flaw(key, .choice(key, known: Choice.allCases.map(\.rawValue)))
    }
    return choice
  }
}

/// A step from a JSON value to a value inside it.
private enum JSONStep: Hashable, Sendable {
  case key(String)
  case index(Int)
}

/// A search for the position of a value in the text. It is used for a fault that is found after
/// parsing.
private struct JSONPositionSearch {
  private let bytes: [UInt8]
  private var position = 0

  /// Returns the line and column, both from 1, of the value at the end of `path`. The position of a
  /// member is the position of its key. If a step of the path does not exist, returns the position
  /// of the value that should contain it. The text must be valid JSON.
  static func find(_ path: [JSONStep], in bytes: [UInt8]) -> (line: Int, column: Int) {
    var search = JSONPositionSearch(bytes: bytes)
    let found = search.find(path[...])
    let before = bytes[..<min(found, bytes.count)]
    let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (lines.count, (lines.last?.count ?? 0) + 1)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func find(_ path: ArraySlice<JSONStep>) -> Int {
    skipSpace()
    let start = position
    guard let step = path.first else { return start }
    position += 1
    var index = 0
    while true {
      skipSpace()
      guard let byte, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") else { return start }
      let member = position
      let isWanted: Bool
      switch step {
      case .key(let key): isWanted = takeKey() == key
      case .index(let wanted): isWanted = index == wanted
      }
      if isWanted { return path.count == 1 ? member : find(path.dropFirst()) }
      skipValue()
      index += 1
    }
  }

  private mutating func takeKey() -> String? {
    let start = position
    skipString()
    let key = try? JSONValue(decoding: Array(bytes[start..<position]).span).string
    skipSpace()
    position += 1
    return key
  }

  /// Moves past a value and the comma after it.
  private mutating func skipValue() {
    var depth = 0
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        skipString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        position += 1
        return
      default: break
      }
      position += 1
    }
  }

  private mutating func skipString() {
    position += 1
    while let byte, byte != UInt8(ascii: "\"") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
  }

  private mutating func skipSpace() {
    while let byte, " \t\r\n".utf8.contains(byte) { position += 1 }
  }
}
