internal import Glibc

/// How loud a sound plays, from nothing to as recorded.
package struct Volume: Hashable, Sendable {
  /// What each sample is multiplied with, 0 to 1.
  package let factor: Double

  /// As recorded.
  package static let full = Volume(known: 1)

  private init(known factor: Double) { self.factor = factor }
}

extension Volume: ArgumentValue {
  package static let placeholder = "VOLUME"
  package static let expectation = "a volume from 0.0 to 1.0, or in decibels such as -6dB"

  package static var hasUnit: Bool { true }

  /// A share of a hundred becomes one of 1.
  package static func corrections(of text: String) -> [String] {
    let numbers = Misspelling.numbers(text)
    let shares = numbers.filter { $0.hasSuffix("%") }.compactMap { text -> String? in
      var rest = text.dropLast()
      guard let percent = DecimalText(takingFrom: &rest), rest.isEmpty else { return nil }
      return "\(percent.double / 100)"
    }
    return shares + numbers
  }

  /// Reads `0.5` or `-6dB`.
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
