internal import CLinux
internal import Glibc

/// Processors of this machine.
struct Processors: Hashable, Sendable {
  /// A bit for each, as the kernel numbers them.
  private var words: [UInt]

  private static let most = 4_096

  /// Those that this thread may run on; nil where the kernel does not say.
  static var allowed: Processors? {
    var words = [UInt](repeating: 0, count: most / UInt.bitWidth)
    let filled = unsafe words.withUnsafeMutableBufferPointer { words in
      unsafe get_processors(words.baseAddress, words.count * MemoryLayout<UInt>.size)
    }
    guard filled > 0 else { return nil }
    return Processors(words: Array(words.prefix(filled / MemoryLayout<UInt>.size)))
  }

  /// The same but for the one that runs this thread now; nil where that is the only one.
  var others: Processors? {
    let here = Int(current_processor())
    var others = self
    guard here >= 0, here < words.count * UInt.bitWidth else { return nil }
    others.words[here / UInt.bitWidth] &= ~(1 << (here % UInt.bitWidth))
    return others.words.contains { $0 != 0 } ? others : nil
  }

  /// Lets threads with these attributes run on them alone.
  func restrict(_ attributes: inout pthread_attr_t) {
    unsafe words.withUnsafeBytes { words in
      _ = unsafe pthread_attr_setaffinity_np(&attributes, words.count, words.baseAddress)
    }
  }

  /// Lets a thread run on each of them.
  func admit(_ thread: pthread_t = pthread_self()) {
    unsafe words.withUnsafeBytes { words in
      _ = unsafe pthread_setaffinity_np(thread, words.count, words.baseAddress)
    }
  }
}
