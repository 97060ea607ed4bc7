internal import Files
internal import Linux

/// The limits of a process that reads an untrusted file.
enum DecoderConfinement {
  /// The processor seconds for a short sound, and for the longest one.
  private static let (shortest, longest): (UInt64, UInt64) = (10, 1 << 30)

  /// Gives up files, sockets, processes and most memory for good, whatever a file does to its
  /// reader.
  ///
  /// A library that is loaded on demand has to be loaded before.
  ///
  /// - Parameter seconds: the processor time for this file, besides that of every file.
  static func enter(for seconds: Int = 0) throws(SoundFileError) {
    do throws(SystemError) {
      try ResourceLimit.coreDump.set(0)
      try ResourceLimit.fileSize.set(0)
      try ResourceLimit.descriptors.set(0)
      try ResourceLimit.addresses.set(512 << 20)
      try ResourceLimit.memory.set(40 << 20)
      let time = min(shortest + UInt64(clamping: seconds), longest)
      try ResourceLimit.processorTime.set(time, ofAtMost: longest)
      try SystemCallFilter.allowComputing()
    } catch {
      throw .system(error)
    }
  }

  /// Starts a process that will confine itself: this very program, even after an upgrade has
  /// replaced its file.
  static func start(
    _ words: [String], _ descriptors: [CInt?]
  ) throws(SystemError) -> ChildProcess {
    var spawn = Spawn("/proc/self/exe", words, environment: [])
    spawn.descriptors = descriptors
    spawn.startsSession = true
    return try spawn.start()
  }

  /// Allows a decoder the processor time of a long sound; it cannot allow that itself.
  static func extend(_ decoder: borrowing ChildProcess, by duration: Duration) throws(SystemError) {
    let seconds = min(shortest + UInt64(clamping: duration.components.seconds), longest)
    try ResourceLimit.processorTime.raise(to: seconds, ofAtMost: longest, for: decoder)
  }
}
