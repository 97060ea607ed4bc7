/// The name of a machine, in the form of `status`.
package struct HostLabel: ArgumentValue, Hashable {
  /// The name as typed, never empty.
  package let value: String

  /// The name of a machine in the help.
  package static let placeholder = "HOST"
  /// Shown in the help and for an empty name.
  package static let expectation = "the name of a machine"

  /// Reads any name; throws for an empty text.
  package init(argument: String) throws(ValueError) {
    guard !argument.isEmpty else { throw .malformed }
    self.value = argument
  }
}
