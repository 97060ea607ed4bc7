package import Audio

extension ChannelCount: ArgumentValue {
  package static var placeholder: String { "CHANNELS" }
  package static var expectation: String { "a number of channels such as 1 or 2" }

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
