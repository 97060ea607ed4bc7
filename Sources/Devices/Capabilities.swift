package import Audio

/// The abilities of a device, read from the device itself.
package struct Capabilities: Hashable, Sendable {
  /// The lowest and the highest rate in hertz; not every rate between has to work.
  package let rates: ClosedRange<Int>
  /// The customary rates that work.
  package let commonRates: [SampleRate]
  /// The fewest and the most channels.
  package let channels: ClosedRange<Int>
  /// The sample formats that this program can use.
  package let formats: [SampleFormat]
  /// ALSA's names of the sample formats that this program cannot use.
  package let otherFormats: [String]

  /// Capabilities as read from ALSA or from a node of PipeWire's.
  package init(
    rates: ClosedRange<Int>, commonRates: [SampleRate], channels: ClosedRange<Int>,
    formats: [SampleFormat], otherFormats: [String]
  ) {
    self.rates = rates
    self.commonRates = commonRates
    self.channels = channels
    self.formats = formats
    self.otherFormats = otherFormats
  }

  /// The rates that programs and files use, lowest first.
  static let customaryRates = [
    5_512, 8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200,
    96_000, 176_400, 192_000, 352_800, 384_000, 705_600, 768_000,
  ]
}

extension Capabilities: CustomStringConvertible {
  /// `16000–96000 Hz, 2 channels, S16`.
  package var description: String {
    let names = formats.map(\.rawValue) + otherFormats
    let spoken = channels == 1...1 ? "1 channel" : "\(Self.span(channels)) channels"
    return "\(Self.span(rates)) Hz, \(spoken), \(names.joined(separator: " "))"
  }

  private static func span(_ range: ClosedRange<Int>) -> String {
    range.lowerBound == range.upperBound
      ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
  }
}
