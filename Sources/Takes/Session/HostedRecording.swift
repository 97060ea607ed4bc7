package import Control
package import Recording

/// A recording in the program that created it, on its own thread.
///
/// `recorder status` and `recorder stop` handle it like any other recording, but no command ever
/// kills its process. The program's signals, terminal and streams are not used. The calls here do
/// not wait: each answer goes to a closure, on the recording's thread.
package final class HostedRecording: Sendable {
  /// The plan of the recording.
  package let plan: RecordingPlan
  private let program: HostedProgram

  /// A recording that has not begun. Nothing is opened or written yet.
  ///
  /// - Parameters:
  ///   - monitor: the monitor of the take, or nil for none.
  ///   - completed: receives the result of each complete file, on any thread of the take.
  package init(
    of plan: RecordingPlan, monitor: (any TakeMonitor)? = nil,
    completed: @escaping @Sendable (RecordingResult) -> Void = { _ in }
  ) throws {
    self.plan = plan
    program = try HostedProgram(plan, monitor, completed: completed)
  }

  /// Begins to record. The answer is given with the first captured frame.
  ///
  /// - Parameters:
  ///   - namePatience: the longest wait for another process that uses the name and may be about to
  ///     end.
  ///   - told: receives the answer. After an error nothing is left behind.
  package func begin(
    namePatience: Duration = .milliseconds(300), _ told: @escaping HostedAnswer<Void>
  ) {
    program.begin(namePatience: namePatience, told)
  }

  /// Calls `told` with the result once it is completely on the disk, or immediately if it already
  /// is.
  package func whenEnded(_ told: @escaping HostedAnswer<RecordingResult>) {
    program.whenEnded(told)
  }

  /// Requests the end of the recording or of its start. The result goes to `whenEnded`.
  ///
  /// - Parameter discarding: true to leave no file.
  package func requestEnd(discarding: Bool = false) { program.requestEnd(discarding: discarding) }
}

extension HostedRecording {
  /// Pauses the recording. Frames are discarded until it resumes.
  ///
  /// - Parameter releasing: true to close the device until then.
  package func pause(releasing: Bool = false, _ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in session.pause(releasing: releasing) }
  }

  /// Resumes the recording. Fails if the microphone access was lost.
  package func resume(_ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in try session.resume() }
  }

  /// Changes the length at which the recording ends, and resumes it. Nil removes the limit.
  ///
  /// - Parameter instant: the time on the monotonic clock at which an open device resumes, or nil to
  ///   resume now.
  package func resume(
    upTo longest: Duration?, at instant: Duration? = nil, _ told: @escaping HostedAnswer<Void>
  ) {
    program.order(told) { session in
      session.limit(to: longest)
      try session.resume(at: instant)
    }
  }

  /// Sets a mark at the current time. The answer is its position in the file.
  package func mark(_ text: MarkText = .none, _ told: @escaping HostedAnswer<Duration>) {
    program.mark(text, told)
  }

  /// Triggers a take that waits for a trigger. The take begins with the frame of `instant`, a past
  /// time on the monotonic clock, but at most a pre-roll ago.
  package func trigger(since instant: Duration, _ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in session.trigger(since: instant) }
  }

  /// Continues the take in a new file.
  package func split(_ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in try session.split() }
  }

  /// Wakes the session, so that it checks immediately whether the monitor is listening.
  package func wakeSession() { program.wakeSession() }

  /// The current state, or nil before the beginning and after the end.
  package var state: RecordingStatus.State? { program.liveState }

  /// The formats and the progress of the take, or nil before the beginning. They stay available
  /// after the end.
  package var facts: HostedFacts? { program.facts }
}
