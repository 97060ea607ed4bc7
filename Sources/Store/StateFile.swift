internal import JSON
internal import Linux

/// The files of a state directory: JSON values, and lists with a JSON value on each line.
extension Directory {
  /// Returns the content of a file, or nil if it cannot be read or has more than `most` bytes.
  func content(of name: String, upTo most: Int) -> [UInt8]? {
    try? open(name, [.noFollow, .nonBlocking]).readAll(upTo: most)
  }

  /// Returns the value of a file, or nil if it cannot be read.
  func value<Value: JSONConvertible>(of name: String, upTo most: Int) -> Value? {
    guard let bytes = content(of: name, upTo: most),
      let json = try? JSONValue(
        decoding: String(decoding: bytes, as: UTF8.self), limits: JSONLimits(bytes: most))
    else { return nil }
    return Value(json: json)
  }

  /// Writes a value to a file. An existing file is replaced in one step.
  func write(
    _ value: some JSONConvertible, to name: String, survivingPowerCuts survives: Bool = true
  ) throws(SystemError) {
    try AtomicFile.write(Self.line(value).span, to: name, in: self, survivingPowerCuts: survives)
  }

  /// Appends a value as a line to a list. Returns the open list.
  func append(_ value: some JSONConvertible, to name: String) throws(SystemError) -> Descriptor {
    try append(line: value.json.encoded(), to: name)
  }

  /// Appends a line to a list, and creates the list if it does not exist. `line` has no line end.
  /// Returns the open list.
  func append(line: String, to name: String) throws(SystemError) -> Descriptor {
    let list = try open(name, [.readWrite, .create, .append, .noFollow, .nonBlocking])
    try list.append(line: line)
    return list
  }

  /// Returns a value as a line, with the line end.
  static func line(_ value: some JSONConvertible) -> [UInt8] {
    Array((value.json.encoded() + "\n").utf8)
  }
}

extension JSONValue {
  /// Returns the values of the lines of a list. Lines that cannot be read are skipped.
  static func lines(of list: [UInt8], upTo most: Int = JSONLimits().bytes) -> [JSONValue] {
    list.split(separator: UInt8(ascii: "\n")).compactMap { line in
      try? JSONValue(decoding: Array(line).span, limits: JSONLimits(bytes: most))
    }
  }
}
