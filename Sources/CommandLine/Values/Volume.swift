internal import Glibc

/// The volume of a sound, from silence to the recorded level.
package struct Volume: Hashable, Sendable {
  /// The factor for each sample, 0 to 1.
  package let factor: Double

  /// The recorded level, a factor of 1.
  package static let full = Volume(known: 1)

  private init(known factor: Double) { self.factor = factor }
}

extension Volume: ArgumentValue {
  /// The name of a volume in the help.
  package static let placeholder = "VOLUME"
  /// Shown in the help and for an invalid volume.
  package static let expectation = "a volume from 0.0 to 1.0, or in decibels such as -6dB"

  /// True: `-6 dB` as two words is one volume with its unit.
  package static var hasUnit: Bool { true }

  /// Tries a percentage as a factor, then the corrections of a number.
  package static func corrections(of text: String) -> [String] {
    let numbers = Misspelling.numbers(text)
    let shares = numbers.filter { $0.hasSuffix("%") }.compactMap { text -> String? in
      var rest = text.dropLast()
      guard let percent = DecimalText(takingFrom: &rest), rest.isEmpty else { return nil }
      return "\(percent.double / 100)"
    }
    return shares + numbers
  }

  /// Reads a factor such as `0.5` or a level such as `-6dB`; throws for more than full volume.
  package init(argument: String) throws(ValueError) {
    let factor: Double
    if let level = decibels(argument) {
      factor = pow(10, level / 20)
    } else {
      var rest = argument[...]
      guard let number = DecimalText(takingFrom: &rest), rest.isEmpty else { throw .malformed }
      factor = number.double
    }
    guard factor <= 1 else { throw .outOfRange("the loudest volume is 1.0, which is 0dB") }
    self.factor = factor
  }
}
