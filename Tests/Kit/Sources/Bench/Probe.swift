import Foundation

/// A program of its own with a state directory of its own: `apple-probe`, which uses Apple's types.
public struct Probe: Sendable {
  /// Its directory.
  public let scratch: Scratch
  /// Its environment.
  public var environment: [String: String]

  /// A probe that nobody has decided anything for.
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

  /// The program, beside the tests.
  public static var path: String {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: "apple-probe").path
  }

  /// The name in which it asks.
  public static let client = "apple-probe"

  /// Runs it to its end.
  public func run(_ arguments: String...) throws -> Command.End {
    try Command.run(Self.path, arguments, environment: environment, directory: scratch.url)
  }

  /// Starts it; its lines come one by one.
  public func start(_ arguments: String...) throws -> Running {
    try Running(Self.path, arguments, environment, scratch.url)
  }

  /// Runs `recorder` on its state.
  @discardableResult
  public func recorder(_ arguments: String...) throws -> Command.End {
    try Command.run(Command.programs + "/recorder", arguments, environment: environment)
  }

  /// Has its user decide: `grant`, `revoke` or `reset`.
  public func decide(_ decision: String) throws {
    try recorder("permission", decision, "--as", Self.client)
  }

  /// The size of the file of a recording that has not ended; 0 before there is one.
  public var partSize: Int {
    let part = (try? scratch.names)?.first { $0.hasSuffix("part") }
    let path = part.map { scratch.path($0) } ?? ""
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  /// Everything in its state directory.
  public var state: [String] {
    let place = scratch.path("state/recorder")
    return ((try? FileManager.default.subpathsOfDirectory(atPath: place)) ?? []).sorted()
  }
}

/// A program that runs, whose lines a test reads.
public final class Running {
  private let process = Process()
  private let output = Pipe()
  private var rest = Data()

  /// Starts it.
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

  /// The number of the process.
  public var identifier: Int32 { process.processIdentifier }

  /// The next line; nil at the end of the output, and after the time limit.
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

  /// The lines up to the end of the output.
  public func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Kills it as a crash would.
  public func kill(_ signal: Int32 = SIGKILL) { Foundation.kill(process.processIdentifier, signal) }

  /// Waits for its end, and returns its exit code, or minus the signal.
  public func wait() -> Int32 {
    process.waitUntilExit()
    let isKilled = process.terminationReason == .uncaughtSignal
    return isKilled ? -process.terminationStatus : process.terminationStatus
  }
}
