internal import CJansson

/// The limits for JSON from another program.
package struct JSONLimits: Hashable, Sendable {
  /// The maximum length of the whole text in bytes.
  package var bytes: Int
  /// The maximum nesting depth of arrays and objects.
  package var depth: Int

  /// Creates limits. The defaults are 64 KiB and 32 levels.
  package init(bytes: Int = 65_536, depth: Int = 32) {
    self.bytes = bytes
    self.depth = depth
  }
}

extension JSONLimits {
  /// Checks the limits before jansson parses the text. jansson itself would build the whole value
  /// first, and it treats a NUL as the end of the text.
  fileprivate func check(_ text: Span<UInt8>) throws(JSONError) {
    guard text.count <= bytes else { throw .tooLarge(limit: bytes) }
    let survey = Survey(of: text)
    guard survey.depth <= depth else { throw .tooDeep(limit: depth) }
    guard !survey.hasNUL else { throw .syntax(line: survey.lines, column: 0, words: "NUL byte") }
  }
}

extension UInt8 {
  /// True for the four whitespace characters that JSON allows between tokens.
  fileprivate var isJSONSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}

extension JSONValue {
  /// Reads one JSON text strictly: duplicate keys, anything after the value, invalid UTF-8, NUL in
  /// a key and integers of more than 64 bits are errors. A NUL in a string, written as \u0000, is
  /// accepted.
  package init(decoding bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try limits.check(bytes)
    let tree = try JanssonTree(bytes)
    self = unsafe JSONValue(tree.root)
  }

  /// Reads consecutive JSON texts strictly. Returns an empty array if there is no text.
  package static func sequence(
    decoding bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> [JSONValue] {
    try limits.check(bytes)
    var values: [JSONValue] = []
    var rest = bytes
    while rest.indices.contains(where: { !rest[$0].isJSONSpace }) {
      let tree = try JanssonTree(rest, isAlone: false)
      values.append(unsafe JSONValue(tree.root))
      rest = rest.extracting(droppingFirst: tree.length)
    }
    return values
  }

  /// Reads one JSON text, strictly.
  package init(decoding text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(decoding: text.utf8.span, limits: limits)
  }

  private init(_ value: UnsafeMutablePointer<json_t>) {
    self =
      switch unsafe value.pointee.type {
      case JSON_TRUE: .bool(true)
      case JSON_FALSE: .bool(false)
      case JSON_INTEGER: .integer(unsafe Int64(json_integer_value(value)))
      case JSON_REAL: .number(unsafe json_real_value(value))
      case JSON_STRING: .string(unsafe String(jansson: value))
      case JSON_ARRAY: .array(unsafe Self.elements(of: value))
      case JSON_OBJECT: .object(unsafe JSONObject(distinct: Self.members(of: value)))
      default: .null
      }
  }

  private static func elements(of array: UnsafeMutablePointer<json_t>) -> [JSONValue] {
    unsafe (0..<json_array_size(array)).compactMap { index in
      unsafe json_array_get(array, index).map { unsafe JSONValue($0) }
    }
  }

  private static func members(of object: UnsafeMutablePointer<json_t>) -> [JSONObject.Member] {
    var members: [JSONObject.Member] = []
    var iterator = unsafe json_object_iter(object)
    while let current = unsafe iterator {
      if let key = unsafe json_object_iter_key(current),
        let value = unsafe json_object_iter_value(current)
      {
        let name = unsafe String(cString: key)
        members.append(unsafe JSONObject.Member(key: name, value: JSONValue(value)))
      }
      unsafe iterator = json_object_iter_next(object, current)
    }
    return members
  }
}

/// The result of one scan of the bytes. The result is meaningful only if the bytes are JSON.
private struct Survey {
  /// The maximum nesting depth of arrays and objects.
  private(set) var depth = 0
  private(set) var hasNUL = false
  /// The number of lines up to the first NUL, or to the end.
  private(set) var lines = 1

  private var level = 0
  private var inString = false
  private var isEscaped = false

  init(of bytes: Span<UInt8>) {
    for index in bytes.indices where !hasNUL { add(bytes[index]) }
  }

  private mutating func add(_ byte: UInt8) {
    hasNUL = byte == 0
    if isEscaped {
      isEscaped = false
    } else if inString {
      isEscaped = byte == UInt8(ascii: "\\")
      inString = byte != UInt8(ascii: "\"")
    } else {
      addOutside(byte)
    }
  }

  private mutating func addOutside(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): inString = true
    case UInt8(ascii: "\n"): lines += 1
    case UInt8(ascii: "["), UInt8(ascii: "{"): level += 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
    default: break
    }
    depth = max(depth, level)
  }
}

/// A value that jansson has parsed, with its members or elements.
@safe private struct JanssonTree: ~Copyable {
  let root: UnsafeMutablePointer<json_t>
  /// The number of bytes that jansson has read for the value.
  let length: Int

  /// Parses a value. The corresponding C function is `json_loadb`.
  ///
  /// - Parameter isAlone: true if nothing may follow the value.
  init(_ bytes: Span<UInt8>, isAlone: Bool = true) throws(JSONError) {
    guard !bytes.isEmpty else { throw .syntax(line: 1, column: 0, words: "no data") }
    var error = json_error_t()
    let end = isAlone ? 0 : Int(JSON_DISABLE_EOF_CHECK)
    let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL) | end
    let root = unsafe bytes.bytes.withUnsafeBytes { bytes in
      unsafe json_loadb(bytes.baseAddress, bytes.count, flags, &error)
    }
    guard let root = unsafe root else {
      throw .syntax(line: Int(error.line), column: Int(error.column), words: error.words.harmless)
    }
    unsafe self.root = root
    length = Int(error.position)
  }

  deinit { unsafe json_decref(root) }
}

extension json_error_t {
  fileprivate var words: String {
    unsafe withUnsafeBytes(of: text) { text in
      unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

extension String {
  /// Creates the text of a jansson string, including NULs.
  init(jansson value: UnsafeMutablePointer<json_t>) {
    let count = unsafe json_string_length(value)
    let start = unsafe UnsafeRawPointer(json_string_value(value))
    self = unsafe String(
      decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
