package import Audio

extension ChannelCount: ArgumentValue {
  /// The name of a channel count in the help.
  package static var placeholder: String { "CHANNELS" }
  /// Shown in the help and for an invalid number.
  package static var expectation: String { "a number of channels such as 1 or 2" }

  /// Reads a whole number; throws for a count that no device or file can have.
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
