import Foundation

/// Another program whose result must match for a file.
struct Tool {
  let path: String

  /// Finds the program in PATH. Returns nil if it is not installed.
  init?(_ name: String) {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let paths = folders.map { "\($0)/\(name)" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    self.path = path
  }

  init(path: String) { self.path = path }

  /// Returns whether a test that needs the program is to run. It runs if the program is installed;
  /// in CI it always runs, so that a missing program makes it fail.
  static func isExpected(_ name: String) -> Bool {
    ProcessInfo.processInfo.environment["CI"] == "true" || Tool(name) != nil
  }

  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs the program and waits for its end.
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
      errors: String(decoding: complained, as: UTF8.self))
  }

  struct Missing: Error { let name: String }

  /// Runs a program by its name.
  static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Result {
    guard let tool = Tool(name) else { throw Missing(name: name) }
    return try tool.run(arguments, environment: environment)
  }
}
