internal import Control
internal import Linux
internal import Store

/// Starts the recording process and waits until it records.
enum SessionLauncher {
  /// The time limit for the first frame. No working device needs that long.
  private static let patience = Duration.seconds(30)

  /// Starts a session in the background and returns its status. Throws if the session does not
  /// start.
  static func detach(
    _ plan: RecordingPlan, _ name: SessionName, _ paths: SessionPaths
  ) throws -> RecordingStatus {
    var isStuck = false
    let answer = try Failure.context("cannot start the recording") {
      var spawn = Spawn(try ExecutablePath.current(), ["session"])
      spawn.startsSession = true
      let log = try openLog(of: name, paths)
      let ends = try UnixSocket.pair()
      spawn.descriptors = [nil, nil, log.number, ends.second.descriptor.number]
      let child = try spawn.start()
      // Now only the session holds this end, so the connection closes when the session ends.
      _ = consume ends.second
      let answer = StartLine.answer(from: try ask(plan, ends.first.descriptor))
      if answer == nil {
        isStuck = try !child.hasEnded(within: .seconds(1))
        try? child.send(.kill)
      }
      return answer
    }
    switch answer {
    case .success(let status): return status
    case .failure(let refusal): throw Failure(refusal)
    case nil:
      let log = ProcessLog(path: paths.log(of: name))
      throw isStuck ? stuck(log) : log.failure(of: "the recording")
    }
  }

  /// Replaces this program with a session in this terminal. If this is a job of a shell, the
  /// session is started as a child process instead.
  static func become(_ plan: RecordingPlan, _ flags: [String], _ console: Console) throws -> Never {
    let isJob = plan.output.path != nil && SessionJob.isPossible
    let line = StartLine.plan(plan)
    // The whole plan is written before the session starts to read, so it must fit into the pipe.
    guard line.count <= 1 << 16 else {
      throw Failure(
        .usage, "the arguments are too long: \(line.count) bytes",
        advice: "give shorter texts and paths")
    }
    try Failure.context("cannot start the recording") { () throws -> Never in
      let ends = try Descriptor.pipe()
      try ends.writing.writeAll(line.span)
      _ = consume ends.writing
      var spawn = Spawn(
        try ExecutablePath.current(),
        ["session", "--foreground"] + (isJob ? ["--job"] : []) + flags)
      if isJob {
        spawn.descriptors = [0, 1, 2, ends.reading.number]
        try SessionJob.run(spawn, note: leaving(plan.name), console)
      }
      try ends.reading.pass(as: 3)
      try spawn.replaceProcess()
    }
  }

  private static func leaving(_ name: String) -> Message {
    Message(
      "\(quoted(name)) is in the background now",
      advice: "\"fg\" shows it again; \"\(stopCommand(name))\" ends it")
  }

  // If the session has already ended, it does not answer; its log has the reason.
  private static func ask(
    _ plan: RecordingPlan, _ connection: borrowing Descriptor
  ) throws(SystemError) -> [UInt8] {
    do {
      try connection.writeAll(StartLine.plan(plan).span)
      return try StartChannel.line(from: connection, waitingUpTo: patience)
    } catch let error where [.brokenPipe, .connectionReset].contains(error.errno) {
      return []
    }
  }

  private static func openLog(of name: SessionName, _ paths: SessionPaths) throws -> Descriptor {
    _ = try PrivateDirectory.make(at: paths.sessions)
    return try ProcessLog(path: paths.log(of: name)).open()
  }

  private static func stuck(_ log: ProcessLog) -> Failure {
    Failure(
      .failed,
      "the recording did not start within \(patience.components.seconds) s, and was cancelled",
      advice: log.advice)
  }
}
