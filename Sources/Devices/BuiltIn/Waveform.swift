/// The signal of a built-in capture device.
package enum Waveform: Hashable, Sendable {
  /// A sine of that many hertz at −20 dBFS, the usual level for aligning broadcast equipment.
  case tone(hertz: Int)
  /// Zeros.
  case silence
  /// Frames that carry their own number, see `Ramp`.
  case ramp

  /// Reads `tone`, `tone:440`, `silence` or `ramp`; a tone without a number is of 1,000 Hz.
  init?(_ name: Substring) {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("tone", 1): self = .tone(hertz: 1_000)
    case ("tone", 2):
      guard let hertz = Int(parts[1]), (1...384_000).contains(hertz) else { return nil }
      self = .tone(hertz: hertz)
    case ("silence", 1): self = .silence
    case ("ramp", 1): self = .ramp
    default: return nil
    }
  }
}
