internal import CSystemd
internal import Linux

/// A message that is written or read value by value.
@safe struct BusMessage: ~Copyable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { _ = unsafe bus.message_unref(pointer) }

  var isSignal: Bool { unsafe bus.message_is_signal(pointer, nil, nil) > 0 }
  /// The number of the request that this message answers, or nil if this message is not an answer.
  var answered: UInt64? {
    var number: UInt64 = 0
    return unsafe bus.message_get_reply_cookie(pointer, &number) >= 0 ? number : nil
  }
  /// Throws if the message is an error.
  func requireSuccess() throws(BusFailure) {
    guard let error = unsafe bus.message_get_error(pointer) else { return }
    throw unsafe BusFailure(error.pointee) ?? .ended(.invalid)
  }
  var interface: String { unsafe Self.text(bus.message_get_interface(pointer)) }
  var member: String { unsafe Self.text(bus.message_get_member(pointer)) }
  var sender: String { unsafe Self.text(bus.message_get_sender(pointer)) }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }
}

extension BusMessage {
  func append(_ value: BusValue) throws(BusFailure) {
    switch value {
    case .string(let text): try append(text)
    case .unsigned(let number): try append("u", number)
    case .signed(let number): try append("i", number)
    case .bool(let value): try append("b", CInt(value ? 1 : 0))
    case .byte(let number): try append("y", number)
    case .variant(let value): try append("v", value.signature, [value])
    case .array(let element, let values): try append("a", element, values)
    case .entry(let key, let value):
      try append("e", "s" + value.signature, [.string(key), value])
    case .structure(let members):
      try append("r", members.map(\.signature).joined(), members)
    case .other: preconditionFailure("such a value is only read")
    }
  }

  private func append(_ text: String) throws(BusFailure) {
    try check(unsafe text.withCString { unsafe bus.message_append_basic(pointer, code("s"), $0) })
  }

  private func append<Number>(_ type: Unicode.Scalar, _ number: Number) throws(BusFailure) {
    try check(
      unsafe withUnsafePointer(to: number) {
        unsafe bus.message_append_basic(pointer, code(type), $0)
      })
  }

  private func append(
    _ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]
  ) throws(BusFailure) {
    try check(unsafe bus.message_open_container(pointer, code(type), contents))
    for value in values { try append(value) }
    try check(unsafe bus.message_close_container(pointer))
  }
}

extension BusMessage {
  /// Returns the unread values of the message, or of the container that was entered last.
  func values() throws(BusFailure) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try next() { values.append(value) }
    return values
  }

  private func next() throws(BusFailure) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard try check(unsafe bus.message_peek_type(pointer, &type, &contents)) > 0 else { return nil }
    let inner = unsafe Self.text(contents)
    switch Unicode.Scalar(UInt8(bitPattern: type)) {
    case "s", "o", "g":
      var text: UnsafePointer<CChar>?
      try unsafe read(type, &text)
      return unsafe .string(Self.text(text))
    case "u": return .unsigned(try number(type))
    case "i": return .signed(try number(type))
    case "b": return .bool(try number(type) as CInt != 0)
    case "y": return .byte(try number(type))
    case "v": return .variant(try container(type, inner).first ?? .other)
    case "a": return .array(of: inner, try container(type, inner))
    case "r": return .structure(try container(type, inner))
    case "e":
      let pair = try container(type, inner)
      return pair.first?.string.map { .entry($0, pair.last ?? .other) } ?? .other
    default:
      // This program does not use values of the remaining types. A `UInt64` has enough bytes for
      // each of these values.
      let _: UInt64 = try number(type)
      return .other
    }
  }

  private func number<Number: FixedWidthInteger>(_ type: CChar) throws(BusFailure) -> Number {
    var number: Number = 0
    try read(type, &number)
    return number
  }

  private func read<Value>(_ type: CChar, _ value: inout Value) throws(BusFailure) {
    try check(
      unsafe withUnsafeMutablePointer(to: &value) {
        unsafe bus.message_read_basic(pointer, type, $0)
      })
  }

  private func container(_ type: CChar, _ contents: String) throws(BusFailure) -> [BusValue] {
    try check(unsafe bus.message_enter_container(pointer, type, contents))
    let values = try values()
    try check(unsafe bus.message_exit_container(pointer))
    return values
  }
}

private func code(_ scalar: Unicode.Scalar) -> CChar { CChar(scalar.value) }
