/// The name of a device, which is not looked up before the device is opened.
package struct DeviceText: ArgumentValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The name of a device in the help.
  package static let placeholder = "DEVICE"
  /// Shown in the help and for an empty name.
  package static let expectation = "a name that \"recorder devices\" lists"

  /// Reads any name; throws for an empty text.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    value = argument
  }
}
