internal import Linux
internal import Permission

extension MicrophoneAccess {
  static let program = Option<ProgramName>(
    "program", summary: "Apply to this program, which records through PipeWire")

  static let allPrograms = Flag(
    "all-programs", summary: "Apply to all programs that record through PipeWire")

  /// The sentence of the help about decisions for programs.
  static let enforcement =
    "With --program, the command is about another program that records through PipeWire. recorder "
    + "guard enforces these decisions; nothing else does."

  /// Returns the client that the options of a command select. Without these options, it is
  /// `.everyone`.
  static func client(
    in arguments: Arguments, by authority: Authority, _ console: Console
  ) throws -> Client {
    let caller = arguments[client]
    let program = arguments[program]
    let isAll = arguments[allPrograms]
    guard [caller != nil, program != nil, isAll].count(where: \.self) <= 1 else {
      throw Failure(.usage, "give only one of --as, --program and --all-programs")
    }
    if isAll { return .allPrograms }
    guard let program else { return caller ?? .everyone }
    return try ProgramSearch(authority: authority, console: console).client(program.text)
  }

  /// Returns the line below a refusal of all programs, if recorder itself may still record.
  static func remaining(_ situation: Situation) -> [String] {
    situation.decisions.contains { $0.status == .authorized }
      ? ["recorder itself may still record. To refuse that: recorder permission revoke"] : []
  }
}

/// The search for a program that the user has typed.
struct ProgramSearch {
  let authority: Authority
  let console: Console

  /// The highest number of programs to list if several have the same name.
  private static let mostListed = 20

  /// Returns the program whose identifier, path or name is `text`. A name means the known program
  /// with this name, or else the program in PATH.
  func client(_ text: String) throws -> Client {
    if let client = Client(program: text) { return client }
    let path = FilePath.expanded(text)
    if path.begins(with: "/") { return try program(at: path) }
    guard !path.holds("/") else {
      return try program(at: Program.workingDirectory().path(of: path))
    }
    let known = authority.programs(called: text)
    if let client = known.first, known.count == 1 { return client }
    guard known.isEmpty else {
      throw Failure(
        .usage, "several programs are called \(quoted(text)); give one of these:",
        advice: known.prefix(Self.mostListed).map { "--program \(shellArgument($0.shown))" })
    }
    guard let found = ExecutablePath.find(text) else {
      throw Failure(
        .notFound, "no program \(quoted(text)) is known or in PATH",
        advice: "\"recorder permission list\" lists the known programs; or give a path")
    }
    return try program(at: found)
  }

  /// Returns the program at `path`. Symbolic links are resolved, because the kernel reports only
  /// their target. Also returns a known program whose file was removed.
  private func program(at path: String) throws -> Client {
    let file: String
    do throws(SystemError) {
      file = try Descriptor(opening: path, .pathOnly).currentPath() ?? path
    } catch {
      if let client = Client(path: path), isKnown(client) { return client }
      throw Failure(.notFound, "cannot find the program", on: path, why: "\(error.errno)")
    }
    guard FileSystem.mayExecute(file), let client = Client(path: file) else {
      throw Failure(.notFound, "\(quoted(file)) is not a program")
    }
    if !file.isSameName(as: path) {
      console.note("\(quoted(path)) leads to \(quoted(file)); the command applies to that program")
    }
    return client
  }

  private func isKnown(_ client: Client) -> Bool {
    authority.programs(called: client.baseName).contains(client)
  }
}
