/// A microphone, a speaker or their like, as PipeWire has it.
package struct PipeWireNode: Hashable, Sendable {
  /// PipeWire's own name for it, which stays after a reboot.
  package let name: String
  /// Its number in the running server, which `NODE=` takes as well.
  package let serial: Int64
  /// What a person calls it.
  package let title: String
  /// The ways that sound goes through it.
  package let directions: Set<Direction>
  /// What it is without the server's conversions; nil where the server does not tell.
  package let capabilities: Capabilities?
  /// Whether the server lets nothing of it through.
  package let isMuted: Bool
  /// The loudest channel, 1 being unchanged; nil where the server does not tell.
  package let volume: Double?
  /// The directions for which programs get it without asking for another.
  package internal(set) var defaults: Set<Direction> = []

  /// What to give to `--device`.
  package var deviceName: String {
    let isPlain = name.utf8.allSatisfy { byte in
      Self.plainBytes.contains(byte) || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }
    // What ALSA would read as its own syntax is named by its number instead.
    return "pipewire:NODE=" + (isPlain ? name : "\(serial)")
  }

  private static let plainBytes = Array("-_.+:".utf8)
}
