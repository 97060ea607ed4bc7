internal import Linux

/// One run of the program, from its arguments to its exit code.
package struct Shell {
  private let table: CommandTable

  /// Runs the command that the arguments name.
  package static func run() -> Int32 { Shell(table: .standard).run().rawValue }

  /// The state of recordings, sounds, permission and takes, or nil if the user typed a command or
  /// stdout is not a terminal.
  private static var state: StateReport? {
    guard Program.arguments == [], Terminal.isTerminal(StandardStream.output.rawValue) else {
      return nil
    }
    return try? StateReport.current(Console())
  }

  private func run() -> ExitCode {
    StandardStream.holdClosed()
    // A file creation mask (umask) that removes rights of the owner could prevent recorder from
    // using its own files.
    CreationMask.spareOwner()
    for signal in [Signal.brokenPipe, .fileTooLarge] { signal.ignore() }
    do {
      if let answer = CompleteCommand.answer(to: Program.arguments, by: table) {
        try Console().print(answer)
        return .done
      }
      if let state = Self.state {
        try Console(Arguments(), .wanted(on: .output)).print(state)
        return .done
      }
      let invocation = try invocation()
      let console = Console(invocation.arguments, .wanted(on: .output))
      let report = try report(on: invocation, console)
      do {
        try console.print(report)
      } catch {
        // The exit code of the result matters more than the exit code of the failed output.
        guard report.exitCode != .done else { throw error }
        console.complain(Failure(explaining: error).message)
      }
      return report.exitCode
    } catch {
      let failure = Failure(explaining: error)
      Console().complain(failure.message)
      if Self.wantsJSON { try? Self.resultStream.write(FailureReport(failure).encoded) }
      return failure.code
    }
  }

  /// Whether `--json` was given, even if the command line cannot be parsed.
  private static var wantsJSON: Bool {
    let words = (Program.arguments ?? []).prefix { $0 != "--" }
    return words.contains(GlobalOption.json.entry.spelling)
  }

  /// The stream for the JSON of a failure: stderr if stdout is for a sound or a picture. The words
  /// are searched without the parser, because the command line may be wrong.
  private static var resultStream: StandardStream {
    let words = Program.arguments ?? []
    let command = words.first { !$0.begins(with: "-") } ?? ""
    if command == TapCommand.words[0] { return .error }
    let writers = [StartCommand.words, ExportCommand.words, ShowCommand.words]
    return writers.contains([command]) && words.contains(where: meansStdout) ? .error : .output
  }

  /// Returns whether a word is a dash, or an option with a dash as its value.
  private static func meansStdout(_ word: String) -> Bool {
    let isShort = word.begins(with: "-") && !word.begins(with: "--")
    return isShort && word.ends(with: "-") || word.ends(with: "=-")
  }

  private func invocation() throws -> Invocation {
    guard !Environment.isElevated else {
      throw Failure(
        .failed, "the program's file has the setuid or setgid bit, which is not safe",
        advice: "remove these bits: chmod ug-s FILE")
    }
    do throws(UsageError) {
      guard let words = Program.arguments else { throw .notText }
      return try Parser.parse(words, by: table)
    } catch {
      try OperandPicking.complete(Program.arguments ?? [], after: error, table)
      if error == .noCommand { Console().explain(OverviewPage(table: table), .wanted(on: .error)) }
      throw error
    }
  }

  private func report(on invocation: Invocation, _ console: Console) throws -> any Report {
    switch invocation.action {
    case .version: return VersionReport()
    case .help(let words): return try HelpCommand.report(on: words, table)
    case .run(let command):
      guard let run = table.function(command.words) else {
        fatalError("no function for \(command.name)")
      }
      return try run(invocation.arguments, console)
    }
  }
}

/// Returns the arguments of the program. Swift's standard library calls this function instead of
/// its own, which reads the list of all memory mappings of the process at each start.
@_cdecl("_swift_stdlib_getUnsafeArgvArgc")
public func programArguments(
  _ count: UnsafeMutablePointer<CInt>
) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
  let vector = unsafe Program.vector
  unsafe count.pointee = CInt(unsafe vector.count)
  return unsafe vector.first
}
