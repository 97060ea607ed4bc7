internal import Linux

/// A switch or a volume of a mixer in the path of a stream.
package struct MixerControl: Hashable, Sendable {
  /// The mixer's own name for it, such as `Capture`.
  package let name: String
  /// The direction of the streams that it controls.
  package let direction: Direction
  /// True if it mutes every channel.
  package let isMuted: Bool
  /// The loudest channel, from 0 to 1; nil where it has no volume.
  package let volume: Double?

  /// A control as the mixer reports it; `volume` is from 0 to 1.
  package init(name: String, direction: Direction, isMuted: Bool, volume: Double?) {
    self.name = name
    self.direction = direction
    self.isMuted = isMuted
    self.volume = volume
  }

  /// True if no channel passes, by the switch or by the volume.
  package var isSilent: Bool { isMuted || volume == 0 }
}

extension [MixerControl] {
  /// The controls that silence the stream; empty if any sound passes.
  ///
  /// A card has many, and most are for other sources than the one in use. A main control for all sources decides
  /// alone; without one, the stream is silent only if all of them are.
  package var silencing: [MixerControl] {
    let sources = filter { !$0.name.hasPrefix("IEC958") && !$0.name.holds("Boost") }
    let main = sources.filter { ["Capture", "Master"].contains($0.name) }
    let deciding = main.isEmpty ? sources : main
    return deciding.allSatisfy(\.isSilent) ? deciding : []
  }
}
