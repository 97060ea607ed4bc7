package import Control
internal import Linux
package import Recording
internal import Synchronization

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
  ///   - words: the host's texts for results, statuses and replies.
  ///   - monitor: the monitor of the take, or nil for none.
  package init(
    of plan: RecordingPlan, words: any TakeHost = PlainHost(), monitor: (any TakeMonitor)? = nil
  ) throws {
    self.plan = plan
    program = try HostedProgram(plan, words, monitor)
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

  /// Sets a mark at the current time. The answer is its position in the file.
  package func mark(_ text: MarkText = .none, _ told: @escaping HostedAnswer<Duration>) {
    program.mark(text, told)
  }

  /// Triggers a take that waits for a trigger. Frames are kept from `instant` on, a time of the
  /// monotonic clock.
  package func trigger(since instant: Duration, _ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in session.trigger(since: instant) }
  }

  /// Continues the take in a new file.
  package func split(_ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session in try session.split() }
  }

  /// Requests the complete current state.
  package func status(_ told: @escaping HostedAnswer<RecordingStatus>) {
    program.order(told) { session in session.status }
  }

  /// Wakes the session, so that it checks at once whether the monitor is listening.
  package func wakeSession() { program.wakeSession() }

  /// The current state, or nil before the beginning and after the end.
  package var state: RecordingStatus.State? { program.liveState }

  /// The formats and the progress of the take, or nil before the beginning. They stay available
  /// after the end.
  package var facts: HostedFacts? { program.facts }
}

/// The same calls for a program that can wait.
extension HostedRecording {
  /// Starts the recording and returns once the first frame is captured.
  ///
  /// - Parameter words: the host's texts for results, statuses and replies.
  package convenience init(
    _ plan: RecordingPlan, words: any TakeHost = PlainHost()
  ) throws {
    try self.init(of: plan, words: words)
    try Self.awaiting { begin($0) }
  }

  /// The current state, or nil after the end of the recording.
  package var status: RecordingStatus? { try? Self.awaiting { status($0) } }

  /// Pauses the recording. Frames are discarded until it resumes.
  package func pause() throws { try Self.awaiting { pause($0) } }

  /// Resumes the recording. Throws if the microphone access was lost.
  package func resume() throws { try Self.awaiting { resume($0) } }

  /// Sets a mark at the current time and returns its position in the file.
  @discardableResult
  package func mark(_ text: MarkText = .none) throws -> Duration {
    try Self.awaiting { mark(text, $0) }
  }

  /// Continues the take in a new file.
  package func split() throws { try Self.awaiting { split($0) } }

  /// Ends the recording. Returns the result once the file has its final name.
  package func stop() throws -> RecordingResult {
    requestEnd()
    return try wait()
  }

  /// Waits for the end of the recording for any cause, and returns the result.
  package func wait() throws -> RecordingResult {
    try Self.awaiting { whenEnded($0) }
  }

  /// Makes a call and waits for its answer.
  private static func awaiting<Value: Sendable>(
    _ call: (@escaping HostedAnswer<Value>) -> Void
  ) throws -> Value {
    let answer = try Awaited<Value>()
    call { answer.set($0) }
    return try answer.get()
  }
}

/// An answer from another thread.
private final class Awaited<Value: Sendable>: Sendable {
  private let there: Event
  private let result = Mutex<Result<Value, any Error>?>(nil)

  init() throws(SystemError) { there = try Event() }

  func set(_ result: Result<Value, any Error>) {
    self.result.withLock { $0 = result }
    there.signal()
  }

  func get() throws -> Value {
    _ = try there.descriptor.wait(upTo: nil)
    guard let result = result.withLock({ $0 }) else {
      throw SystemError("poll", errno: .interrupted)
    }
    return try result.get()
  }
}
