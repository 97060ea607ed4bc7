import Foundation

/// A program that a test runs, with a time limit.
public enum Command {
  /// The end of a program.
  public struct End: Sendable {
    /// The exit code; 128 and the number of the signal for one that was killed.
    public let code: Int32
    /// What it printed.
    public let output: String
    /// What it complained of.
    public let errors: String
  }

  /// The directory of `recorder` and `recorder-engine`.
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

  /// Runs a program to its end, with an empty input.
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

  /// The path of a program in PATH; nil where it is not installed.
  public static func path(of name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

extension Process {
  /// Starts it without a blocked signal.
  ///
  /// The threads of tasks block nearly all of them, which a child inherits: a script that is told to restart its server
  /// by a signal would never hear of it.
  func runUnblocked() throws {
    var (none, former) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    try run()
  }
}
