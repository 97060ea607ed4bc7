/// The code that carries out a command of the table.
package protocol Carrier: CommandDefinition {
  /// Carries out the command and returns the report to print.
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report
}

extension [any Carrier.Type] {
  /// The definitions of the same commands; a cast of the whole list would look every one up at run
  /// time.
  var definitions: [any CommandDefinition.Type] { map { $0 } }
}
