/// A microphone, a speaker or another audio node of PipeWire's.
package struct PipeWireNode: Hashable, Sendable {
  /// PipeWire's own name for it, which stays after a reboot.
  package let name: String
  /// Its number in the running server, which `NODE=` takes as well.
  package let serial: Int64
  /// PipeWire's description for users.
  package let title: String
  /// The directions of its streams.
  package let directions: Set<Direction>
  /// Its own capabilities, without the server's conversions; nil where the server does not state them.
  package let capabilities: Capabilities?
  /// True if the server mutes it.
  package let isMuted: Bool
  /// The loudest channel, 1 being unchanged; nil where the server does not state it.
  package let volume: Double?
  /// The directions for which it is the default.
  package internal(set) var defaults: Set<Direction> = []

  /// The argument for `--device`.
  package var deviceName: String {
    let isPlain = name.utf8.allSatisfy { byte in
      Self.plainBytes.contains(byte) || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }
    // A name with characters of ALSA's syntax is replaced by the node's number.
    return "pipewire:NODE=" + (isPlain ? name : "\(serial)")
  }

  private static let plainBytes = Array("-_.+:".utf8)
}
