package import Audio
internal import Exports
internal import Linux
internal import Glibc

extension SampleRate: ArgumentValue {
  /// The placeholder for a sample rate in the help.
  package static var placeholder: String { "RATE" }
  /// The accepted values, for the help and for error messages.
  package static var expectation: String { "a sample rate such as 48000 or 44.1k" }

  /// True, because `48 kHz` as two words is a rate with its unit.
  package static var hasUnit: Bool { true }

  /// Reads `48000`, `48000Hz`, `48k` or `44.1kHz`. Throws for text of another form, or a rate that
  /// is zero or too high.
  package init(argument: String) throws(ValueError) {
    var rest = argument[...]
    guard let number = DecimalText(takingFrom: &rest),
      let unit = ["": 1, "hz": 1, "k": 1_000, "khz": 1_000][rest.lowercased()],
      number.isWhole || unit == 1_000
    else { throw .malformed }
    guard let hertz = number.scaled(by: Int64(unit)), let rate = SampleRate(Int(hertz)) else {
      throw .outOfRange("sample rates range from 1 to 768000 Hz")
    }
    // A number such as 48 probably does not mean hertz.
    guard hertz >= 1_000 || !rest.isEmpty else { throw .malformed }
    self = rate
  }

  /// Returns the corrections of a number: without a unit, then in kilohertz (up to 384 kHz), then
  /// in hertz.
  package static func corrections(of text: String) -> [String] {
    let numbers = Misspelling.numbers(text)
    let kilohertz = numbers.map { $0 + "k" }.filter { text in
      (try? SampleRate(argument: text)).map { $0.hertz <= 384_000 } ?? false
    }
    return numbers + kilohertz + numbers.map { $0 + "Hz" }
  }
}

extension ChannelCount: ArgumentValue {
  /// The placeholder for a channel count in the help.
  package static var placeholder: String { "CHANNELS" }
  /// The accepted values, for the help and for error messages.
  package static var expectation: String { "a number of channels such as 1 or 2" }

  /// Reads a whole number. Throws for a count that no device or file can have.
  package init(argument: String) throws(ValueError) {
    var rest = argument[...]
    guard let number = DecimalText(takingFrom: &rest), rest.isEmpty, number.isWhole else {
      throw .malformed
    }
    guard let value = number.scaled(by: 1), let count = ChannelCount(Int(value)) else {
      throw .outOfRange("a stream has 1 to 1024 channels")
    }
    self = count
  }
}

/// The channels of a device that are recorded, in the order of the file.
package struct ChannelSelection: ArgumentValue, Hashable {
  /// The channels' numbers, from 1; a number may repeat.
  package let channels: [Int]

  /// The placeholder for a list of channels in the help.
  package static let placeholder = "LIST"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "channel numbers such as 3,4, counted from 1"

  /// Reads numbers separated by commas. Throws for a number outside 1 to 1024.
  package init(argument: String) throws(ValueError) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let channels = parts.compactMap { $0.allSatisfy(\.isDecimalDigit) ? Int($0) : nil }
    guard channels.count == parts.count else { throw .malformed }
    guard channels.allSatisfy((1...1_024).contains), channels.count <= 1_024 else {
      throw .outOfRange("a device has channels 1 to 1024")
    }
    self.channels = channels
  }
}

extension FileFormat: WordValue {
  /// The placeholder for a file format in the help.
  package static var placeholder: String { "FORMAT" }

  /// Returns advice on a format that only `export` writes, and on a sample format, which some
  /// programs also call a format.
  package static func advice(on text: String) -> String? {
    if let exported = exported.first(where: { $0.rawValue == text.lowercased() }) {
      return "\"recorder export\" converts a take to \(exported)"
    }
    guard text.contains(where: \.isDecimalDigit), !ForeignEnding.contains(text) else {
      return nil
    }
    return "choose the sample format with --bits, --rate and --channels, or with the settings of "
      + "the same names"
  }
}

/// The sample format in the file, by its number of bits.
package enum Bits: String, WordValue {
  case sixteen = "16"
  case twentyFour = "24"
  case thirtyTwo = "32"
  case float

  /// The placeholder for a sample format in the help.
  package static let placeholder = "BITS"

  /// The sample format in a file.
  package var sample: SampleFormat {
    switch self {
    case .sixteen: .int16
    case .twentyFour: .int24Packed
    case .thirtyTwo: .int32
    case .float: .float32
    }
  }

  /// Returns the advice to choose one of these sample formats.
  static func advice(_ samples: [SampleFormat]) -> String {
    let known = allCases.filter { samples.contains($0.sample) }.map(\.rawValue)
    return "use --bits \(alternatives(known))"
  }
}

extension Decibels: ArgumentValue {
  /// The placeholder for a level in the help.
  package static var placeholder: String { "LEVEL" }
  /// The accepted values, for the help and for error messages.
  package static var expectation: String { "a level such as -40dB" }

  /// True, because `-40 dB` as two words is a level with its unit.
  package static var hasUnit: Bool { true }

  /// Reads `-40dB`, `-12.5dBFS` or `6`. Throws for text of another form, or a level more than 200
  /// dB from full scale.
  package init(argument: String) throws(ValueError) {
    guard let value = level(argument, ["db", "dbfs", ""]) else { throw .malformed }
    guard abs(value) <= 200 else { throw .outOfRange("levels are within 200dB of full scale") }
    self.init(value)
  }
}

/// A level that sounds are compared with; at most full scale.
package struct Threshold: ArgumentValue, Hashable {
  /// The level.
  package let level: Decibels

  /// The placeholder for a level in the help.
  package static var placeholder: String { Decibels.placeholder }
  /// The accepted values, for the help and for error messages.
  package static var expectation: String { Decibels.expectation }

  /// True, because `-40 dB` as two words is a level with its unit.
  package static var hasUnit: Bool { true }

  /// Returns the corrections of a level, then the same levels with a minus sign: `30dB` becomes
  /// `-30dB`.
  package static func corrections(of text: String) -> [String] {
    let levels = Decibels.corrections(of: text)
    return levels + levels.map { "-" + $0 }
  }

  /// Reads `-40dB`. Throws for a level above full scale.
  package init(argument: String) throws(ValueError) {
    level = try Decibels(argument: argument)
    guard level <= .fullScale else {
      throw .outOfRange("a level is at most 0dB; most sounds are far below it, such as -40dB")
    }
  }
}

/// A loudness according to EBU R 128.
package struct Loudness: ArgumentValue, Hashable {
  /// The loudness in LUFS.
  package let value: Double

  /// The placeholder for a loudness in the help.
  package static let placeholder = "LOUDNESS"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "a loudness from -70LUFS to -5LUFS, such as -16LUFS"

  /// True, because `-16 LUFS` as two words is a loudness with its unit.
  package static var hasUnit: Bool { true }

  /// Reads `-16LUFS`, `-23.5LUFS` or `-16`. Throws for text of another form, or a loudness outside
  /// -70 to -5 LUFS.
  package init(argument: String) throws(ValueError) {
    guard let value = level(argument, ["lufs", "lkfs", ""]) else { throw .malformed }
    guard (-70 ... -5).contains(value) else {
      throw .outOfRange("a loudness is from -70LUFS to -5LUFS")
    }
    self.value = value
  }
}

/// Returns the number before one of these units, with its sign, or nil for any other text. A unit
/// may be empty.
private func level(_ text: String, _ units: [String]) -> Double? {
  var rest = text[...]
  let sign = rest.first == "-" ? -1.0 : 1.0
  if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
  guard let number = DecimalText(takingFrom: &rest), units.contains(rest.lowercased()) else {
    return nil
  }
  return sign * number.double
}

/// The volume of a sound, from silence to the recorded level.
package struct Volume: Hashable, Sendable {
  /// The factor for each sample, 0 to 1.
  package let factor: Double

  /// The volume of the recorded level: a factor of 1.
  package static let full = Volume(known: 1)

  private init(known factor: Double) { self.factor = factor }
}

extension Volume: ArgumentValue {
  /// The placeholder for a volume in the help.
  package static let placeholder = "VOLUME"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "a volume from 0.0 to 1.0, such as 0.5, 50% or -6dB"

  /// True, because `-6 dB` as two words is a volume with its unit.
  package static var hasUnit: Bool { true }

  /// Reads a factor such as `0.5`, a percentage such as `50%` or a level such as `-6dB`. Throws for
  /// more than full volume.
  package init(argument: String) throws(ValueError) {
    let factor: Double
    if let level = level(argument, ["db", "dbfs"]) {
      factor = pow(10, level / 20)
    } else {
      var rest = argument[...]
      guard let number = DecimalText(takingFrom: &rest), rest.isEmpty || rest == "%" else {
        throw .malformed
      }
      factor = rest.isEmpty ? number.double : number.double / 100
    }
    guard factor <= 1 else {
      let percentage = (10...100).contains(factor) && Double(argument) != nil ? "\(argument)%" : nil
      throw .outOfRange(
        "the loudest volume is 1.0, which is 100% or 0dB"
          + (percentage.map { "; for a percentage, write \(quoted($0))" } ?? ""))
    }
    self.factor = factor
  }
}

/// Formats a volume as a user can type it, such as `50%`.
func volumeText(_ factor: Double) -> String { rounded(factor * 100, places: 0) + "%" }
