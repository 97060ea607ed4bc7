/// The user namespace of this process, in which the numbers of users may be others than outside.
enum UserNamespace {
  /// True for the number that stands for users who have none here, as root outside of a sandbox.
  ///
  /// In the first namespace every user has a number of his own, and this one is nobody's.
  static func isOutside(_ user: UInt32) -> Bool {
    number(in: "/proc/sys/kernel/overflowuid", or: 65_534) == user && !isFirst
  }

  private static var isFirst: Bool {
    fields(of: "/proc/self/uid_map") == ["0", "0", "4294967295"]
  }

  private static func number(in path: String, or usual: UInt32) -> UInt32 {
    fields(of: path).first.flatMap { UInt32($0) } ?? usual
  }

  private static func fields(of path: String) -> [String] {
    guard let bytes = try? Descriptor(opening: path).readAll(upTo: 4_096) else { return [] }
    return bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
