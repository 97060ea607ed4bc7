internal import Files
internal import Linux
internal import Sounds

/// The limits of a process that reads an untrusted file.
enum DecoderConfinement {
  /// Loads the decoding libraries, then gives up rights as `enter` does.
  ///
  /// - Parameter seconds: the processor time for this file, in seconds, in addition to the time
  ///   that every file gets.
  static func enterToDecode(for seconds: Int = 0) throws(SoundFileError) {
    try SoundFileLibrary.prepare()
    // Only a file with another rate than the output needs the resampler. If the library of the
    // resampler is missing, such a file is refused later, with the reason.
    try? Resampler.prepare()
    try SoundFileError.of(enter(for: seconds))
  }

  /// Permanently gives up files, sockets, processes and most memory, so that even a malicious file
  /// cannot use them.
  ///
  /// Libraries that are loaded on demand must be loaded before this call.
  ///
  /// - Parameter seconds: the processor time for this file, in seconds, in addition to the time
  ///   that every file gets.
  static func enter(for seconds: Int = 0) throws(SystemError) {
    try ResourceLimit.coreDump.set(0)
    try ResourceLimit.fileSize.set(0)
    try ResourceLimit.descriptors.set(0)
    try ResourceLimit.addresses.set(512 << 20)
    try ResourceLimit.memory.set(40 << 20)
    let time = min(DecoderTime.shortest + UInt64(clamping: seconds), DecoderTime.longest)
    try ResourceLimit.processorTime.set(time, ofAtMost: DecoderTime.longest)
    try SystemCallFilter.allowComputing()
  }

  /// Starts a child process that will confine itself. The child process runs the same program as
  /// this process, even if an upgrade has replaced the program's file since this process started.
  static func start(_ words: [String], _ descriptors: [CInt?]) throws(SystemError) -> ChildProcess {
    var spawn = Spawn.isolated("/proc/self/exe", words)
    spawn.descriptors = descriptors
    return try spawn.start()
  }
}
