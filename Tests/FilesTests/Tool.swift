import Foundation

/// Another program that must agree with us about a file.
struct Tool {
  let path: String

  /// Where PATH has it, or nil.
  init?(_ name: String) {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let paths = folders.map { "\($0)/\(name)" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    self.path = path
  }

  init(path: String) { self.path = path }

  /// Whether a test that needs it shall run: when it is there, and in CI always, to fail there.
  static func isExpected(_ name: String) -> Bool {
    ProcessInfo.processInfo.environment["CI"] == "true" || Tool(name) != nil
  }

  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs it to its end.
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

/// Whether tests take minutes to try everything: RECORDER_TEST_EVERY is set, as it is by night.
let isThorough = ProcessInfo.processInfo.environment["RECORDER_TEST_EVERY"] != nil
