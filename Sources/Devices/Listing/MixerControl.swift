internal import Linux

/// A switch or a volume of a mixer that sound passes.
package struct MixerControl: Hashable, Sendable {
  /// As the mixer calls it, such as `Capture`.
  package let name: String
  package let direction: Direction
  /// Whether no channel passes.
  package let isMuted: Bool
  /// The loudest channel, from 0 to 1; nil where it has no volume.
  package let volume: Double?

  package init(name: String, direction: Direction, isMuted: Bool, volume: Double?) {
    self.name = name
    self.direction = direction
    self.isMuted = isMuted
    self.volume = volume
  }

  /// Whether nothing comes through.
  package var isSilent: Bool { isMuted || volume == 0 }
}

extension [MixerControl] {
  /// Those that keep everything from being heard; empty where sound comes through.
  ///
  /// A card has many, and most are for other sources than the one in use. Where there is one for all
  /// of them it alone counts; else only all of them together silence it.
  package var silencing: [MixerControl] {
    let sources = filter { !$0.name.hasPrefix("IEC958") && !$0.name.holds("Boost") }
    let main = sources.filter { ["Capture", "Master"].contains($0.name) }
    let deciding = main.isEmpty ? sources : main
    return deciding.allSatisfy(\.isSilent) ? deciding : []
  }
}
