/// Code that carries out a command of the table.
package protocol Carrier: CommandDefinition {
  /// Does what was asked and returns what is to be printed.
  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report
}
