package import Audio

extension SampleRate: ArgumentValue {
  /// The name of a sample rate in the help.
  package static var placeholder: String { "RATE" }
  /// Shown in the help and for an invalid rate.
  package static var expectation: String { "a sample rate such as 48000 or 44.1k" }

  /// True: `48 kHz` as two words is one rate with its unit.
  package static var hasUnit: Bool { true }

  /// Reads `48000`, `48000Hz`, `48k` or `44.1kHz`.
  package init(argument: String) throws(ValueError) {
    var rest = argument[...]
    guard let number = DecimalText(takingFrom: &rest),
      let unit = ["": 1, "hz": 1, "k": 1_000, "khz": 1_000][rest.lowercased()],
      number.isWhole || unit == 1_000
    else { throw .malformed }
    guard let hertz = number.scaled(by: Int64(unit)), let rate = SampleRate(Int(hertz)) else {
      throw .outOfRange("sample rates lie from 1 to 768000 Hz")
    }
    self = rate
  }
}
