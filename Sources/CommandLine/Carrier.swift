/// Code that carries out a command of the table.
package protocol Carrier: CommandDefinition {
  /// Does what was asked and returns what is to be printed.
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report
}

extension [any Carrier.Type] {
  /// The same commands, to be described; a cast of the whole list would look every one up at run time.
  var definitions: [any CommandDefinition.Type] { map { $0 } }
}
