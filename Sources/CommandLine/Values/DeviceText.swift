/// The name of a device; which one it is, and whether it is there, is found out by opening it.
package struct DeviceText: ArgumentValue, Hashable {
  package let value: String

  package static let placeholder = "DEVICE"
  package static let expectation = "a name that \"recorder devices\" lists"

  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    value = argument
  }
}
