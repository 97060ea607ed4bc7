import CFuzzer
import Glibc
import Linux

@testable import Files

/// A sound file in memory, which every input replaces.
enum SoundInMemory {
  /// Created once, because creating a file for each input would take longer than reading it.
  private static let number: CInt = memfd_create("sound", 0)

  static func fill(_ bytes: [UInt8]) {
    precondition(ftruncate(number, 0) == 0)
    let count = bytes.withUnsafeBytes { pwrite(number, $0.baseAddress, $0.count, 0) }
    precondition(count == bytes.count)
  }

  /// Opens the file again.
  static func file() -> CheckedFile? {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    return try? CheckedFile(Descriptor(owning: copy), named: "a")
  }
}
