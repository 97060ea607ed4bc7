/// A call that changed a file or a name, as `Tests/Preload/trace.c` records it.
struct FollowedCall {
  var name: String
  /// The device and inode of the file, or of the directory that has the name.
  var file: String
  var offset: Int
  /// The path of the file, or the old name.
  var subject: String
  /// The bytes that were written, or the new name.
  var bytes: [UInt8]

  /// Returns all calls of a record, in their order.
  static func all(in record: [UInt8]) -> [Self] {
    var calls: [Self] = []
    var rest = record[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let words = String(decoding: rest[..<end], as: UTF8.self)
        .split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
      guard words.count == 5, let offset = Int(words[2]), let length = Int(words[3]) else { break }
      let bytes = Array(rest[(end + 1)...].prefix(length))
      rest = rest[(end + 1)...].dropFirst(length)
      calls.append(
        Self(name: words[0], file: words[1], offset: offset, subject: words[4], bytes: bytes))
    }
    return calls
  }
}
