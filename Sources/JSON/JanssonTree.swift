internal import CJansson

/// A value of jansson's, with its members or elements.
@safe struct JanssonTree: ~Copyable {
  let root: UnsafeMutablePointer<json_t>
  /// The number of bytes that it was read from.
  let length: Int

  /// The corresponding C function is `json_loadb`.
  ///
  /// - Parameter isAlone: true where nothing may come after it.
  init(_ bytes: Span<UInt8>, isAlone: Bool = true) throws(JSONError) {
    guard !bytes.isEmpty else { throw .syntax(line: 1, column: 0, words: "nothing there") }
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
  /// The text of a jansson string, NULs included.
  init(jansson value: UnsafeMutablePointer<json_t>) {
    let count = unsafe json_string_length(value)
    let start = unsafe UnsafeRawPointer(json_string_value(value))
    self = unsafe String(
      decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
