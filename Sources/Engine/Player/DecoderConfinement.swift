internal import Audio
internal import Decoding
internal import Files
internal import Linux
internal import Sounds

/// The limits of a process that reads an untrusted file.
enum DecoderConfinement {
  /// Loads the libraries that decode, then gives up everything as `enter` does.
  ///
  /// - Parameter seconds: the processor time for this file, besides that of every file.
  static func enterToDecode(for seconds: Int = 0) throws(SoundFileError) {
    try SoundFileLibrary.prepare()
    // Only a file at another rate needs it, and that file is refused with the reason.
    try? Resampler.prepare()
    try enter(for: seconds)
  }

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
      let time = min(DecoderTime.shortest + UInt64(clamping: seconds), DecoderTime.longest)
      try ResourceLimit.processorTime.set(time, ofAtMost: DecoderTime.longest)
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
    var spawn = Spawn.isolated("/proc/self/exe", words)
    spawn.descriptors = descriptors
    return try spawn.start()
  }
}

/// A decoder in a child of this very program, even after an upgrade has replaced its file.
final class ConfinedDecoder: ChildDecoder {
  let child: DecoderChild

  init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws(DecodingError) {
    child = try DecoderChild("/proc/self/exe", file, order, from: first)
  }
}
