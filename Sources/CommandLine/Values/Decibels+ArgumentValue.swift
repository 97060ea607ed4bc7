package import Audio

extension Decibels: ArgumentValue {
  package static var placeholder: String { "LEVEL" }
  package static var expectation: String { "a level such as -40dB" }

  package static var hasUnit: Bool { true }

  package static func corrections(of text: String) -> [String] {
    let numbers = Misspelling.numbers(text)
    return numbers + numbers.map { $0 + "dB" }
  }

  /// Reads `-40dB`, `-12.5dBFS` or `6dB`; whether it may pass full scale is the option's affair.
  package init(argument: String) throws(ValueError) {
    guard let value = decibels(argument) else { throw .malformed }
    guard abs(value) <= 200 else { throw .outOfRange("levels lie within 200dB of full scale") }
    self.init(value)
  }
}

/// The number before `dB` or `dBFS`, or nil where the unit is missing.
func decibels(_ text: String) -> Double? {
  var rest = text[...]
  let sign = rest.first == "-" ? -1.0 : 1.0
  if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
  guard let number = DecimalText(takingFrom: &rest), ["db", "dbfs"].contains(rest.lowercased())
  else { return nil }
  return sign * number.double
}
