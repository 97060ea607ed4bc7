internal import CLinux
internal import Glibc

/// A process that somebody else started; calls and signals reach it alone, even after its number
/// went to another.
package struct OtherProcess: ~Copyable, Sendable {
  /// The process's number.
  package let identifier: Int32
  /// Readable once it has ended.
  package let descriptor: Descriptor

  /// Opens the process that has the number now.
  package init(_ identifier: Int32) throws(SystemError) {
    self.identifier = identifier
    descriptor = Descriptor(
      owning: try checked("pidfd_open", "\(identifier)") { pidfd_of(identifier) })
  }

  /// Returns the user who owns it; a process that has ended belongs to nobody.
  package func owner() throws(SystemError) -> UInt32 {
    try FileStatus(of: "/proc/\(identifier)").owner
  }

  /// Returns the time of its start, in clock ticks since the machine booted.
  package func started() throws(SystemError) -> Int64 {
    let path = "/proc/\(identifier)/stat"
    let bytes = try Descriptor(opening: path).readAll(upTo: 4_096)
    // The name of the program may hold anything, but nothing behind it holds a parenthesis.
    let facts = bytes.split(separator: UInt8(ascii: ")")).last ?? []
    let words = facts.split(separator: UInt8(ascii: " "))
    let ticks = words.count > 19 ? Int64(String(decoding: words[19], as: UTF8.self)) : nil
    guard let ticks else { throw SystemError("read", path, errno: .inputOutput) }
    return ticks
  }

  /// Sends it a signal.
  package func send(_ signal: Signal) throws(SystemError) {
    try checked("pidfd_send_signal", "\(identifier)") {
      pidfd_signal(descriptor.number, signal.rawValue)
    }
  }
}
