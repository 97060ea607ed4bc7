internal import Audio
package import Control
package import Linux

/// A program of the user that runs beside a recording, with every process that it starts.
package struct UserProgram {
  /// The absolute path.
  package let path: String
  /// Variables as `NAME=value`.
  let environment: [String]
  /// The longest time that it may run.
  package let limit: Duration

  /// A program to run without arguments.
  package init(path: String, environment: [String], limit: Duration) {
    self.path = path
    self.environment = environment
    self.limit = limit
  }

  /// The ways in which a run ends.
  package enum Ending: Hashable, Sendable {
    case ended(ChildProcess.Ending)
    /// It was ended, because it ran for longer than its limit.
    case tookTooLong
    /// It was ended, because this process has to end.
    case interrupted

    /// The end of a program that has done its work.
    package static let success = Ending.ended(.exited(0))
  }

  /// The time that it has to end after SIGTERM.
  private static let grace = Duration.seconds(2)

  /// Runs it to its end.
  ///
  /// - Parameter words: the end of what it says; nil where that goes to stderr.
  /// - Parameter stop: a descriptor that is readable once this process has to end; −1 for none.
  package func run(_ words: LastWords? = nil, unless stop: Int32 = -1) throws(SystemError) -> Ending
  {
    var spawn = Spawn(path, [], environment: environment)
    spawn.startsSession = true
    let output = words?.writing
    spawn.descriptors = [nil, output, output ?? StandardStream.error.rawValue]
    let child = try spawn.start()
    words?.closeWriting()
    let deadline = KernelClock.monotonic.now + limit
    var poll = Poll(capacity: 3)
    while true {
      let left = deadline - KernelClock.monotonic.now
      poll.removeAll()
      poll.add(child.descriptor.number)
      poll.add(stop)
      poll.add(words?.reading ?? -1)
      do throws(SystemError) {
        if left > .zero { try poll.wait(upTo: left) }
      } catch {
        try? end(child)
        throw error
      }
      words?.collect()
      if !poll[0].isEmpty { return .ended(try child.wait()) }
      guard left > .zero, poll[1].isEmpty else {
        try end(child)
        _ = try child.wait()
        return left > .zero ? .interrupted : .tookTooLong
      }
    }
  }

  /// Ends it and the processes that it has started.
  private func end(_ child: borrowing ChildProcess) throws(SystemError) {
    try? Signal.terminate.send(to: -child.identifier)
    _ = try child.hasEnded(within: Self.grace)
    try? Signal.kill.send(to: -child.identifier)
  }
}

/// The end of what a program says.
package final class LastWords {
  private let reader: Descriptor
  private var writer: Descriptor?
  private var bytes: [UInt8] = []
  private var isOver = false

  /// Enough for the line that says why.
  private static let most = 4_096
  private static let longestLine = 200

  init() throws(SystemError) {
    let ends = try Descriptor.pipe().release()
    reader = Descriptor(owning: ends.reading)
    writer = .some(Descriptor(owning: ends.writing))
    try reader.setNonBlocking(true)
  }

  /// The number that the program writes to.
  var writing: Int32? {
    switch writer {
    case .some(let writer): writer.number
    case nil: nil
    }
  }

  /// The number to wait for; −1 once nothing can come any more.
  var reading: Int32 { isOver ? -1 : reader.number }

  /// Closes this process' end, so that the program's is the only one.
  func closeWriting() { writer = nil }

  /// Reads what has come.
  func collect() {
    var chunk = [UInt8](repeating: 0, count: Self.most)
    // A program may write faster than this reads.
    for _ in 0..<32 {
      guard !isOver, let count = try? reader.readIfReady(into: &chunk) else { return }
      if count == 0 { isOver = true }
      bytes = (bytes + chunk[..<count]).suffix(Self.most)
    }
  }

  /// The last line that is not empty; nil where nothing was said.
  var line: String? {
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let said = lines.last { line in line.contains { $0 > UInt8(ascii: " ") } }
    return said.map { String(decoding: $0.prefix(Self.longestLine), as: UTF8.self) }
  }
}

/// The facts of a file in the environment of a program.
package enum TakeVariables {
  /// This process' environment, except variables that change how programs are loaded, with the
  /// facts added.
  ///
  /// - Parameter event: the value of `RECORDER_TAKE_EVENT`.
  package static func environment(
    of result: RecordingResult, at event: String, adding more: [(name: String, value: String)] = []
  ) -> [String] {
    let own = Environment.all.filter {
      !$0.begins(with: "LD_") && !$0.begins(with: "RECORDER_TAKE_")
    }
    return own
      + (facts(of: result, at: event) + more).map { "RECORDER_TAKE_\($0.name)=\($0.value)" }
  }

  private static func facts(
    of result: RecordingResult, at event: String
  ) -> [(name: String, value: String)] {
    let facts: [(name: String, value: String?)] = [
      ("EVENT", event), ("ID", result.identifier), ("NAME", result.name),
      ("PATH", result.path), ("SIDECAR", result.sidecar), ("REASON", result.reason.word),
      ("EXIT", "\(result.exit)"), ("MESSAGE", result.message), ("FORMAT", result.format.rawValue),
      ("BEGAN", WallTime(sinceEpoch: result.began).rfc3339),
      ("SECONDS", "\(result.duration / .seconds(1))"), ("BYTES", "\(result.bytes)"),
      ("FRAMES", "\(result.frames.onDisk.value)"), ("LOST", "\(result.frames.lost.value)"),
      ("SEGMENT", "\(result.segment ?? 1)"),
    ]
    // A NUL would end a variable early.
    return facts.compactMap { fact in
      fact.value.map {
        (fact.name, String($0.unicodeScalars.filter { $0.value != 0 }.map(Character.init)))
      }
    }
  }
}
