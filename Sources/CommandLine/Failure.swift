/// The reason that a command failed, with its exit code.
package struct Failure: Error, Hashable, Sendable {
  /// The exit code of the process.
  package let code: ExitCode
  /// The message for stderr, which JSON repeats.
  package let message: Message

  /// A failure that ends the command with `code`.
  package init(_ code: ExitCode, _ message: Message) {
    self.code = code
    self.message = message
  }
}
