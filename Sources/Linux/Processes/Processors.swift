internal import CLinux
internal import Glibc

/// A set of processors of this machine.
struct Processors: Hashable, Sendable {
  /// One bit for each processor, in the kernel's numbering.
  private var words: [UInt]

  private static let most = 4_096

  /// The processors that this thread may run on, or nil if the kernel does not report them.
  static var allowed: Processors? {
    var words = [UInt](repeating: 0, count: most / UInt.bitWidth)
    let filled = unsafe words.withUnsafeMutableBufferPointer { words in
      unsafe get_processors(words.baseAddress, words.count * MemoryLayout<UInt>.size)
    }
    guard filled > 0 else { return nil }
    return Processors(words: Array(words.prefix(filled / MemoryLayout<UInt>.size)))
  }

  /// The same set without the processor that runs this thread now, or nil if there is no other.
  var others: Processors? {
    let here = Int(current_processor())
    var others = self
    guard here >= 0, here < words.count * UInt.bitWidth else { return nil }
    others.words[here / UInt.bitWidth] &= ~(1 << (here % UInt.bitWidth))
    return others.words.contains { $0 != 0 } ? others : nil
  }

  /// Restricts threads with these attributes to these processors.
  func restrict(_ attributes: inout pthread_attr_t) {
    unsafe words.withUnsafeBytes { words in
      _ = unsafe pthread_attr_setaffinity_np(&attributes, words.count, words.baseAddress)
    }
  }

  /// Allows a thread to run on all of these processors.
  func admit(_ thread: pthread_t = pthread_self()) {
    unsafe words.withUnsafeBytes { words in
      _ = unsafe pthread_setaffinity_np(thread, words.count, words.baseAddress)
    }
  }
}
