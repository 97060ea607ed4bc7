/// The identities of this boot and of this machine.
package enum HostIdentity {
  /// Returns the random identifier of this boot, without a line end.
  package static func boot() throws(SystemError) -> String {
    try line(of: "/proc/sys/kernel/random/boot_id")
  }

  /// Returns the 32 hexadecimal digits of /etc/machine-id, or nil if the file is missing, empty or
  /// invalid. It is missing in a chroot, for example.
  package static func machine(path: String = "/etc/machine-id") throws(SystemError) -> String? {
    let text = try ifPresent(line(of: path))
    return text.flatMap { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) ? $0 : nil }
  }

  /// Returns the host name of the machine or the container.
  package static func name() throws(SystemError) -> String {
    try line(of: "/proc/sys/kernel/hostname")
  }

  /// Returns the number of the process namespace. Process numbers can be compared only within one
  /// namespace.
  package static func processSpace() throws(SystemError) -> UInt64 {
    try FileStatus(of: "/proc/self/ns/pid").inode
  }

  /// Returns the first line of a file of the kernel.
  static func line(of path: String) throws(SystemError) -> String {
    let bytes = try Descriptor(opening: path).readAll(upTo: 1 << 16)
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
