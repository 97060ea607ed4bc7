package import Control
package import Recording

/// A recording inside the program that created it. It has its own thread.
///
/// `recorder status` and `recorder stop` handle it like any other recording, but no command ever
/// kills its process. The recording does not use the signals, the terminal or the standard streams
/// of the program. The functions do not wait: each passes its answer to a closure. The closure runs
/// on the recording's thread, or immediately if the recording has ended.
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

  /// Begins to record. The closure is called when the first frame has been captured.
  ///
  /// - Parameters:
  ///   - namePatience: the longest wait for the name if another process uses it. That process may
  ///     be about to end.
  ///   - told: receives success or the error. After an error, no file of the recording remains.
  package func begin(
    namePatience: Duration = .milliseconds(300), _ told: @escaping HostedAnswer<Void>
  ) {
    program.begin(namePatience: namePatience, told)
  }

  /// Calls `told` with the result after the recording has ended and its files are complete, or
  /// immediately if this has already happened.
  package func whenEnded(_ told: @escaping HostedAnswer<RecordingResult>) {
    program.whenEnded(told)
  }

  /// Requests the end of the recording, even if it is still starting. The result goes to the
  /// closure of `whenEnded`.
  ///
  /// - Parameter discarding: true to leave no file.
  package func requestEnd(discarding: Bool = false) { program.requestEnd(discarding: discarding) }
}

extension HostedRecording {
  /// Pauses the recording. Frames are discarded until the recording resumes.
  ///
  /// - Parameter releasing: true to close the device during the pause.
  package func pause(releasing: Bool = false, _ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in session.pause(releasing: releasing) }
  }

  /// Resumes the recording. Fails if the microphone access was lost.
  package func resume(_ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in try session.resume() }
  }

  /// Changes the length at which the recording ends, and resumes the recording. If `longest` is
  /// nil, removes the limit.
  ///
  /// - Parameter instant: the time on the monotonic clock at which an open device resumes, or nil
  ///   to resume now.
  package func resume(
    upTo longest: Duration?, at instant: Duration? = nil, _ told: @escaping HostedAnswer<Void>
  ) {
    program.order(told) { session in
      session.limit(to: longest)
      try session.resume(at: instant)
    }
  }

  /// Sets a mark at the current time. The answer is the position of the mark in the file.
  package func mark(_ text: MarkText = .none, _ told: @escaping HostedAnswer<Duration>) {
    program.mark(text, told)
  }

  /// Triggers an armed take. The take begins with the frame that was captured at `instant`, a past
  /// time on the monotonic clock. If `instant` is before the pre-roll, the take begins with the
  /// pre-roll.
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
