import Foundation
import Linux

/// Programs run by a test, each with a time limit and in a session of its own.
package enum Tool {
  /// The outcome of a program.
  package struct Outcome: Sendable {
    /// The ending: an exit code or a signal.
    package var ending: ChildProcess.Ending
    /// The bytes that it wrote to its standard output.
    package var output: [UInt8] = []
    /// The bytes that it wrote to its standard error.
    package var errors: [UInt8] = []
    /// Whether it was killed because it exceeded its time limit.
    package var timedOut = false

    /// The exit code, or nil if a signal ended the program.
    package var code: Int32? { if case .exited(let code) = ending { code } else { nil } }
    /// The standard output as text.
    package var outputText: String { String(decoding: output, as: UTF8.self) }
    /// The standard error as text.
    package var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  /// Returns the path of a program in PATH, or nil if it is not installed.
  package static func path(of name: String) -> String? {
    if name.contains("/") { return name }
    let directories = (Environment.value(of: "PATH") ?? "/usr/bin:/bin").split(separator: ":")
    return directories.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program to its end and returns its outcome.
  ///
  /// When the program ends, everything that it left running in its session is killed.
  /// - Parameter environment: variables to add or replace; nil removes one.
  package static func run(
    _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:],
    input: [UInt8] = [], directory: String? = nil, limit: Duration = .seconds(30)
  ) throws -> Outcome {
    var spawn = Spawn(path(of: program) ?? program, arguments)
    spawn.environment = merged(environment)
    spawn.directory = directory
    spawn.startsSession = true
    let given = try inputFile(input)
    let (output, errors) = (try Collector(), try Collector())
    spawn.descriptors = [given.number, output.end(), errors.end()]
    let child = try spawn.start()
    output.closeEnd()
    errors.closeEnd()
    let timedOut = try !collect(output, errors, until: child, limit: limit)
    // Before the child is reaped, while its number still identifies its group.
    try? Signal.kill.send(to: -child.identifier)
    var outcome = Outcome(ending: try child.wait())
    outcome.timedOut = timedOut
    outcome.output = try output.rest()
    outcome.errors = try errors.rest()
    return outcome
  }

  /// Reads both streams until the child has ended. Returns false if `limit` has passed.
  private static func collect(
    _ output: Collector, _ errors: Collector, until child: borrowing ChildProcess,
    limit: Duration
  ) throws -> Bool {
    let deadline = KernelClock.monotonic.now + limit
    var poll = Poll(capacity: 3)
    while KernelClock.monotonic.now < deadline {
      poll.removeAll()
      poll.add(child.descriptor.number)
      poll.add(output.isOpen ? output.number : -1)
      poll.add(errors.isOpen ? errors.number : -1)
      try poll.wait(upTo: deadline - KernelClock.monotonic.now)
      if !poll[1].isEmpty { try output.read() }
      if !poll[2].isEmpty { try errors.read() }
      if !poll[0].isEmpty { return true }
    }
    return false
  }

  // A file instead of a pipe, because nothing has to be written while the child runs.
  private static func inputFile(_ bytes: [UInt8]) throws -> Descriptor {
    let scratch = try ScratchDirectory()
    let path = scratch.path("input")
    try Data(bytes).write(to: URL(filePath: path))
    return try Descriptor(opening: path)
  }

  /// Returns this process's environment with some variables changed, as `NAME=value`.
  package static func merged(_ changes: [String: String?]) -> [String] {
    var variables = ProcessInfo.processInfo.environment
    for (name, value) in changes { variables[name] = value }
    return variables.map { "\($0)=\($1)" }
  }
}

/// The reading end of a pipe, and the bytes that were read from it.
private final class Collector {
  private let reading: Descriptor
  private var writing: Descriptor?
  private var collected: [UInt8] = []
  private(set) var isOpen = true

  init() throws {
    let ends = try Descriptor.pipe()
    reading = ends.reading
    writing = .some(ends.writing)
    try reading.setNonBlocking(true)
  }

  var number: Int32 { reading.number }
  func end() -> Int32 { writing?.number ?? -1 }
  func closeEnd() { writing = nil }

  /// Reads the available bytes without waiting.
  func read() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while let count = try reading.readIfReady(into: &chunk) {
      isOpen = count > 0
      if !isOpen { return }
      collected += chunk[..<count]
    }
  }

  func rest() throws -> [UInt8] {
    try read()
    return collected
  }
}
