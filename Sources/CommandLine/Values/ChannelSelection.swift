/// The channels of a device to record, counted from 1, in the order of the file.
package struct ChannelSelection: ArgumentValue, Hashable {
  /// The channels' numbers, from 1; a number may repeat.
  package let channels: [Int]

  /// The name of a list of channels in the help.
  package static let placeholder = "LIST"
  /// Shown in the help and for an invalid list.
  package static let expectation = "numbers of channels such as 3,4; the first is 1"

  /// Reads numbers with commas between them; throws for one outside 1 to 1024.
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
