internal import Glibc
internal import Linux

extension Errno {
  /// ALSA's code for a stream that was suspended with the machine.
  static let streamPipe = Errno(rawValue: ESTRPIPE)
  static let badDescriptorState = Errno(rawValue: EBADFD)
  static let noSuchDevice = Errno(rawValue: ENXIO)
  static let hostDown = Errno(rawValue: EHOSTDOWN)
  static let noMemory = Errno(rawValue: ENOMEM)
}
