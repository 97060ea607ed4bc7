internal import Audio
package import Control
package import Linux

/// A program of the user that handles the files of a recording. If the program must be ended early,
/// its whole process group is ended. Processes that called `setsid` are in another group, and
/// continue.
package struct UserProgram {
  /// The absolute path of the program.
  package let path: String
  /// The environment variables, each as `NAME=value`.
  let environment: [String]
  /// The longest time that the program may run.
  package let limit: Duration

  /// A program to run without arguments.
  package init(path: String, environment: [String], limit: Duration) {
    self.path = path
    self.environment = environment
    self.limit = limit
  }

  /// The end of a run of the program.
  package enum Ending: Hashable, Sendable {
    case ended(ChildProcess.Ending)
    /// The program was ended because it exceeded its time limit.
    case tookTooLong
    /// The program was ended because this process has to end.
    case interrupted

    /// The end of a successful run.
    package static let success = Ending.ended(.exited(0))
  }

  /// Returns the end of a run as a sentence.
  package func words(_ ending: Ending) -> String {
    let path = PrintableText.quoted(path)
    return switch ending {
    case .ended(.exited(let code)): "\(path) ended with exit code \(code)"
    case .ended(.killed(let signal)): "\(path) ended with signal \(signal.rawValue)"
    case .tookTooLong:
      "\(path) was stopped, because it ran for longer than \(limit.components.seconds) s"
    case .interrupted: "\(path) was stopped before it had finished"
    }
  }

  /// The longest time between SIGTERM and SIGKILL.
  private static let grace = Duration.seconds(2)

  /// Runs the program until it ends.
  ///
  /// - Parameter words: collects the end of the output. If nil, the standard output is dropped, and
  ///   the program shares the standard error of this process.
  /// - Parameter stop: a descriptor that becomes readable when this process has to end, or −1 for
  ///   none.
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

  /// Ends all processes of the program's process group.
  private func end(_ child: borrowing ChildProcess) throws(SystemError) {
    try? Signal.terminate.send(to: -child.identifier)
    _ = try child.hasEnded(within: Self.grace)
    try? Signal.kill.send(to: -child.identifier)
  }
}

/// The end of a program's output.
package final class LastWords {
  private let reader: Descriptor
  private var writer: Descriptor?
  private var bytes: [UInt8] = []
  private var isOver = false

  /// The largest number of bytes to keep. It is enough for the last line.
  private static let most = 4_096
  private static let longestLine = 200

  init() throws(SystemError) {
    let ends = try Descriptor.pipe()
    reader = ends.reading
    writer = .some(ends.writing)
    try reader.setNonBlocking(true)
  }

  /// The descriptor that the program writes to, or nil after `closeWriting`.
  var writing: Int32? {
    switch writer {
    case .some(let writer): writer.number
    case nil: nil
    }
  }

  /// The descriptor to poll, or −1 after the end of the output.
  var reading: Int32 { isOver ? -1 : reader.number }

  /// Closes the writing end in this process, so that only the program has it open.
  func closeWriting() { writer = nil }

  /// Reads the available output.
  func collect() {
    var chunk = [UInt8](repeating: 0, count: Self.most)
    // The number of reads is limited, because the program may write faster than this loop reads.
    for _ in 0..<32 {
      guard !isOver, let count = try? reader.readIfReady(into: &chunk) else { return }
      if count == 0 { isOver = true }
      bytes = (bytes + chunk[..<count]).suffix(Self.most)
    }
  }

  /// The last line that is not blank, cut at `longestLine` bytes, or nil if there is none.
  var line: String? {
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let said = lines.last { line in line.contains { $0 > UInt8(ascii: " ") } }
    return said.map { String(decoding: $0.prefix(Self.longestLine), as: UTF8.self) }
  }
}

/// The facts about a file of a take as environment variables for a program.
package enum TakeVariables {
  /// Returns the environment of this process with the facts added. The variables `LD_…` are
  /// removed, because they change how programs are loaded.
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
      ("PATH", result.path),
      ("PATHS", result.files.count > 1 ? result.files.joined(separator: "\n") : nil),
      ("SIDECAR", result.sidecar), ("REASON", result.reason.word),
      ("EXIT", "\(result.exit)"), ("MESSAGE", result.message), ("FORMAT", result.format.rawValue),
      ("BEGAN", WallTime(sinceEpoch: result.began).rfc3339),
      ("SECONDS", "\(result.duration / .seconds(1))"), ("BYTES", "\(result.bytes)"),
      ("FRAMES", "\(result.frames.onDisk.value)"), ("LOST", "\(result.frames.lost.value)"),
      ("SEGMENT", "\(result.segment ?? 1)"),
    ]
    // NUL characters are removed, because a NUL would end the variable early.
    return facts.compactMap { fact in
      fact.value.map {
        (fact.name, String($0.unicodeScalars.filter { $0.value != 0 }.map(Character.init)))
      }
    }
  }
}
