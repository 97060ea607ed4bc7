/// The name of a machine, as `status` shows it.
package struct HostLabel: ArgumentValue, Hashable {
  package let value: String

  package static let placeholder = "HOST"
  package static let expectation = "the name of a machine"

  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.value = argument
  }
}
