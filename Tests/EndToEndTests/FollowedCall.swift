/// A call that changed a file or a name, as `Tests/Preload/trace.c` writes it down.
struct FollowedCall {
  var name: String
  /// The file, or the directory of a name, by its device and inode.
  var file: String
  var offset: Int
  /// The path of the file, or the old name.
  var subject: String
  /// What was written, or the new name.
  var bytes: [UInt8]

  /// All calls of a record, in their order.
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
