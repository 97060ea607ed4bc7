/// Why a command could not do what was asked, and what its caller gets for it.
package struct Failure: Error, Hashable, Sendable {
  package let code: ExitCode
  package let message: Message

  package init(_ code: ExitCode, _ message: Message) {
    self.code = code
    self.message = message
  }
}
