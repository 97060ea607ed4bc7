/// The command `completion`, which prints a shell's completion script.
enum CompletionCommand: Carrier {
  static var words: [String] { ["completion"] }

  static let shell = Operand<CompletedShell>(.one, summary: "The shell")

  static var command: Command {
    Command(
      words, section: .help, summary: "Print what a shell needs to complete recorder",
      details: ["\"make install\" has put it where the shells look for it."],
      operands: [shell],
      examples: [
        Example("recorder completion bash", "For \"source <(...)\" in a shell"),
        Example("recorder completion fish", "For \"... | source\" in fish"),
      ])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    CompletionScript(shell: arguments[shell].first ?? .bash, table: .standard)
  }
}
