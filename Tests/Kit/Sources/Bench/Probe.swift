import Foundation

/// The program `apple-probe`, which uses Apple's types, in its own process and with its own state
/// directory.
public struct Probe: Sendable {
  /// The directory of the probe.
  public let scratch: Scratch
  /// The environment of the probe.
  public var environment: [String: String]

  /// Creates a probe without a permission decision.
  public init(capture: String = "test:tone") throws {
    scratch = try Scratch()
    environment = [
      "HOME": scratch.path("home"), "XDG_STATE_HOME": scratch.path("state"),
      "XDG_CONFIG_HOME": scratch.path("config"), "XDG_DATA_HOME": scratch.path("data"),
      "XDG_CACHE_HOME": scratch.path("cache"), "XDG_RUNTIME_DIR": scratch.path("run"),
      "RECORDER_CAPTURE_DEVICE": capture,
      "RECORDER_PLAYBACK_DEVICE": "test:null",
      "PATH": Command.programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
    ]
    for name in ["home", "state", "config", "data", "cache", "run"] {
      try FileManager.default.createDirectory(
        at: scratch.file(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
  }

  /// The path of the program, next to the tests.
  public static var path: String {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: "apple-probe").path
  }

  /// The client name of the probe.
  public static let client = "apple-probe"

  /// Runs the probe to its end.
  public func run(_ arguments: String...) throws -> Command.End {
    try Command.run(Self.path, arguments, environment: environment, directory: scratch.url)
  }

  /// Starts the probe, or a copy of it. Its output can be read line by line.
  public func start(_ arguments: String..., from path: String = Self.path) throws -> Running {
    try Running(path, arguments, environment, scratch.url)
  }

  /// Runs `recorder` with the state directory of the probe.
  @discardableResult
  public func recorder(_ arguments: String...) throws -> Command.End {
    try Command.run(Command.programs + "/recorder", arguments, environment: environment)
  }

  /// Changes the decision of the probe's user: `grant`, `revoke` or `reset`.
  public func decide(_ decision: String) throws {
    try recorder("permission", decision, "--as", Self.client)
  }

  /// The size of the part of a running recording, or 0 if there is none.
  public var partSize: Int {
    let part = (try? scratch.names)?.first { $0.hasSuffix("part") }
    let path = part.map { scratch.path($0) } ?? ""
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  /// All paths in the probe's state directory.
  public var state: [String] {
    let place = scratch.path("state/recorder")
    return ((try? FileManager.default.subpathsOfDirectory(atPath: place)) ?? []).sorted()
  }
}

/// A running program. Tests read its output line by line.
public final class Running {
  private let process = Process()
  private let output = Pipe()
  private var rest = Data()

  /// Starts the program.
  public init(
    _ path: String, _ arguments: [String], _ environment: [String: String], _ directory: URL
  ) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = directory
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.runUnblocked()
  }

  deinit {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// The process ID.
  public var identifier: Int32 { process.processIdentifier }

  /// Returns the next line, or nil at the end of the output and after the time limit.
  public func line(within seconds: Double = 20) -> String? {
    let end = Date().addingTimeInterval(seconds)
    while true {
      if let index = rest.firstIndex(of: 10) {
        let line = String(decoding: rest[rest.startIndex..<index], as: UTF8.self)
        rest = Data(rest[rest.index(after: index)...])
        return line
      }
      var waiting = pollfd(
        fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32(max(0, end.timeIntervalSinceNow * 1_000))) > 0 else {
        return nil
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      rest += data
    }
  }

  /// Returns the lines up to the end of the output.
  public func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Kills the program, as a crash would.
  public func kill(_ signal: Int32 = SIGKILL) { Foundation.kill(process.processIdentifier, signal) }

  /// Waits for the end of the program. Returns its exit code, or the negative number of the signal
  /// that killed it.
  public func wait() -> Int32 {
    process.waitUntilExit()
    let isKilled = process.terminationReason == .uncaughtSignal
    return isKilled ? -process.terminationStatus : process.terminationStatus
  }
}
