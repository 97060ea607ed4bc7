internal import Files
internal import Linux

/// The limits of a process that reads a file which somebody else made.
enum DecoderConfinement {
  /// Seconds of the processor for what is short, and for what is as long as can be.
  private static let (shortest, longest): (UInt64, UInt64) = (10, 1 << 30)

  /// No file, no socket, no process and little memory, whatever a file does to its reader; for good.
  ///
  /// A library that is loaded when it is needed has to be there before.
  ///
  /// - Parameter seconds: the processor time that it takes beside what every file may take.
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

  /// Starts what will enter it: this very program, also where an upgrade has replaced its file.
  static func start(
    _ words: [String], _ descriptors: [CInt?]
  ) throws(SystemError) -> ChildProcess {
    var spawn = Spawn("/proc/self/exe", words, environment: [])
    spawn.descriptors = descriptors
    spawn.startsSession = true
    return try spawn.start()
  }

  /// Lets a decoder take as much time as a long sound lasts; it may not itself.
  static func extend(_ decoder: borrowing ChildProcess, by duration: Duration) throws(SystemError) {
    let seconds = min(shortest + UInt64(clamping: duration.components.seconds), longest)
    try ResourceLimit.processorTime.raise(to: seconds, ofAtMost: longest, for: decoder)
  }
}
