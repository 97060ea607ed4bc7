/// The channels of a device that are kept, the first being 1, in the order of the file.
package struct ChannelSelection: ArgumentValue, Hashable {
  package let channels: [Int]

  package static let placeholder = "LIST"
  package static let expectation = "numbers of channels such as 3,4; the first is 1"

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
