internal import Files
internal import Linux

/// What the process may no more that decodes what a stranger made.
enum DecoderConfinement {
  /// No file, no socket, no process and little memory, whatever a file does to its decoder; for good.
  static func enter() throws(SoundFileError) {
    do throws(SystemError) {
      try ResourceLimit.coreDump.set(0)
      try ResourceLimit.fileSize.set(0)
      try ResourceLimit.descriptors.set(0)
      try ResourceLimit.addresses.set(512 << 20)
      try ResourceLimit.memory.set(40 << 20)
      try ResourceLimit.processorTime.set(10)
      try SystemCallFilter.allowComputing()
    } catch {
      throw .system(error)
    }
  }
}
