internal import Linux

/// The process that a shell waits for while a session records in its terminal. Ctrl-Z stops this
/// process, and the session continues in the background.
enum SessionJob {
  /// Whether a shell can suspend this process and bring it to the foreground again.
  static var isPossible: Bool {
    Terminal.hasJobControl && Terminal.isForeground(StandardStream.error.rawValue)
  }

  /// Runs a session to its end, and ends this process with the session's exit code or signal.
  ///
  /// - Parameter note: the note for a session that continues in the background.
  static func run(_ session: Spawn, note: Message, _ console: Console) throws(SystemError) -> Never
  {
    let signals = try Signals([.interrupt, .terminate, .quit, .hangUp, .terminalStop, .user1])
    let child = try session.start()
    while try !child.hasEnded() {
      var poll = Poll(capacity: 2)
      poll.add(signals.descriptor.number)
      poll.add(child.descriptor.number)
      try poll.wait(upTo: nil)
      while let signal = signals.next() {
        switch signal {
        case .terminalStop:
          // Ctrl-Z also stops a session that is still starting. The first signal continues such a
          // session. The second signal, the request to leave the terminal, has no effect on it.
          for signal in [Signal.resume, .leave] { try? child.send(signal) }
        case .user1:
          console.note(note)
          // The shell's `fg` continues both processes, and the session uses the terminal again.
          Signal.terminalStop.obey()
        default: try? child.send(signal)
        }
      }
    }
    switch try child.wait() {
    case .exited(let code): Program.end(code)
    case .killed(let signal):
      signals.release()
      signal.obey()
      Program.end(128 + signal.rawValue)
    }
  }
}
