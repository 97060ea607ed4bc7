package import Audio

extension Decibels: ArgumentValue {
  /// The name of a level in the help.
  package static var placeholder: String { "LEVEL" }
  /// Shown in the help and for an invalid level.
  package static var expectation: String { "a level such as -40dB" }

  /// True: `-40 dB` as two words is one level with its unit.
  package static var hasUnit: Bool { true }

  /// Tries the text without spaces, also with `dB` added.
  package static func corrections(of text: String) -> [String] {
    let numbers = Misspelling.numbers(text)
    return numbers + numbers.map { $0 + "dB" }
  }

  /// Reads `-40dB`, `-12.5dBFS` or `6dB`; the option itself refuses a level above full scale.
  package init(argument: String) throws(ValueError) {
    guard let value = decibels(argument) else { throw .malformed }
    guard abs(value) <= 200 else { throw .outOfRange("levels lie within 200dB of full scale") }
    self.init(value)
  }
}

/// The number before `dB` or `dBFS`; nil without a unit.
func decibels(_ text: String) -> Double? {
  var rest = text[...]
  let sign = rest.first == "-" ? -1.0 : 1.0
  if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
  guard let number = DecimalText(takingFrom: &rest), ["db", "dbfs"].contains(rest.lowercased())
  else { return nil }
  return sign * number.double
}
