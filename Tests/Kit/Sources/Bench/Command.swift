import Foundation

/// A program that a test runs, with a time limit.
public enum Command {
  /// The result of a program that has ended.
  public struct End: Sendable {
    /// The exit code, or 128 plus the number of the signal that killed the program.
    public let code: Int32
    /// The standard output.
    public let output: String
    /// The standard error output.
    public let errors: String
  }

  /// The directory of `recorder`.
  public static var programs: String {
    ProcessInfo.processInfo.environment["RECORDER_PROGRAMS"] ?? "../../.build/debug"
  }

  /// Runs `recorder`.
  @discardableResult
  public static func recorder(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> End {
    try run(programs + "/recorder", arguments, environment: environment)
  }

  /// Runs a program to its end, with empty standard input.
  @discardableResult
  public static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    directory: URL? = nil, within seconds: Double = 60
  ) throws -> End {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let directory { process.currentDirectoryURL = directory }
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.runUnblocked()
    let late = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: late)
    defer { late.cancel() }
    nonisolated(unsafe) var complaints = Data()
    let reader = DispatchQueue(label: "errors")
    reader.async { complaints = errors.fileHandleForReading.readDataToEndOfFile() }
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    reader.sync {}
    process.waitUntilExit()
    let killed = process.terminationReason == .uncaughtSignal
    return End(
      code: killed ? 128 + process.terminationStatus : process.terminationStatus,
      output: String(decoding: printed, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self))
  }

  /// Returns the path of a program in PATH, or nil if it is not installed.
  public static func path(of name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

extension Process {
  /// Starts the process without blocked signals.
  ///
  /// The threads of tasks block almost all signals, and a child process inherits this. A script
  /// that has to restart its server on a signal would never receive the signal.
  func runUnblocked() throws {
    var (none, former) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    try run()
  }
}
