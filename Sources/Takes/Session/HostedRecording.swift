package import Control
internal import Linux
package import Recording
internal import Synchronization

/// A recording in the program that created it, on a thread of its own.
///
/// `recorder status` and `recorder stop` see it like any other, and no command ever kills its process. The program's
/// signals, terminal and streams stay its own. No call here waits: each answer comes to a closure, on the thread of
/// the recording.
package final class HostedRecording: Sendable {
  /// The plan that it was made for.
  package let plan: RecordingPlan
  private let program: HostedProgram

  /// A recording that has not begun; nothing is opened or written.
  ///
  /// - Parameters:
  ///   - words: the host's texts in results, statuses and replies.
  ///   - monitor: the listener of the take; nil where nobody listens.
  package init(
    of plan: RecordingPlan, words: any TakeHost = PlainHost(), monitor: (any TakeMonitor)? = nil
  ) throws(TakeError) {
    self.plan = plan
    do throws(SystemError) {
      program = try HostedProgram(plan, words, monitor)
    } catch {
      throw .step(.capture, error)
    }
  }

  /// Begins to record; the answer comes with the first captured frame.
  ///
  /// - Parameters:
  ///   - namePatience: the wait for another process that may just end with the name.
  ///   - told: gets the reason where nothing can be recorded; then nothing is left behind.
  package func begin(
    namePatience: Duration = .milliseconds(300), _ told: @escaping HostedAnswer<Void>
  ) {
    program.begin(namePatience: namePatience, told)
  }

  /// Calls `told` with the result, once all of it is on the disk; at once where that was before.
  package func whenEnded(_ told: @escaping HostedAnswer<RecordingResult>) {
    program.whenEnded(told)
  }

  /// Ends the recording, or its start; the result comes to `whenEnded`.
  ///
  /// - Parameter discarding: true where no file is to be left.
  package func requestEnd(discarding: Bool = false) { program.requestEnd(discarding: discarding) }
}

extension HostedRecording {
  /// Pauses the recording: frames are discarded until it resumes.
  ///
  /// - Parameter releasing: true to close the device until then.
  package func pause(releasing: Bool = false, _ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session throws(TakeError) in session.pause(releasing: releasing) }
  }

  /// Resumes; the answer is an error after microphone access was lost.
  package func resume(_ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session throws(TakeError) in try session.resume() }
  }

  /// Sets a mark at this moment; the answer is its place in the file.
  package func mark(_ text: MarkText = .none, _ told: @escaping HostedAnswer<Duration>) {
    program.mark(text, told)
  }

  /// Begins to keep frames, those since `instant` of the monotonic clock, where the plan has it wait
  /// for that.
  package func trigger(since instant: Duration, _ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session throws(TakeError) in session.trigger(since: instant) }
  }

  /// Continues in a new file.
  package func split(_ told: @escaping HostedAnswer<Void>) {
    program.order(told) { session throws(TakeError) in try session.split() }
  }

  /// The present state, in all its detail.
  package func status(_ told: @escaping HostedAnswer<RecordingStatus>) {
    program.order(told) { session throws(TakeError) in session.status }
  }

  /// Lets the session look at once whether somebody listens.
  package func rouse() { program.rouse() }

  /// The state at this instant; nil before the beginning and after the end.
  package var state: RecordingStatus.State? { program.liveState }

  /// The formats and the progress of the take; nil before the beginning. They stay after the end.
  package var facts: HostedFacts? { program.facts }
}

/// The same calls for a program that may wait.
extension HostedRecording {
  /// Starts the recording, and returns once the first frame is captured.
  ///
  /// - Parameter words: the host's texts in results, statuses and replies.
  package convenience init(
    _ plan: RecordingPlan, words: any TakeHost = PlainHost()
  ) throws(TakeError) {
    try self.init(of: plan, words: words)
    try Self.awaiting { begin($0) }
  }

  /// The current state; nil once the recording has ended.
  package var status: RecordingStatus? { try? Self.awaiting { status($0) } }

  /// Pauses the recording: frames are discarded until it resumes.
  package func pause() throws(TakeError) { try Self.awaiting { pause($0) } }

  /// Resumes; throws after microphone access was lost.
  package func resume() throws(TakeError) { try Self.awaiting { resume($0) } }

  /// Sets a mark at this moment, and returns its place in the file.
  @discardableResult
  package func mark(_ text: MarkText = .none) throws(TakeError) -> Duration {
    try Self.awaiting { mark(text, $0) }
  }

  /// Continues in a new file.
  package func split() throws(TakeError) { try Self.awaiting { split($0) } }

  /// Ends the recording and returns its result, once the file has its name.
  package func stop() throws(TakeError) -> RecordingResult {
    requestEnd()
    return try wait()
  }

  /// Waits for the end, independent of its cause, and returns the result.
  package func wait() throws(TakeError) -> RecordingResult {
    try Self.awaiting { whenEnded($0) }
  }

  /// Waits for the answer of a call.
  private static func awaiting<Value: Sendable>(
    _ call: (@escaping HostedAnswer<Value>) -> Void
  ) throws(TakeError) -> Value {
    let answer: Awaited<Value>
    do throws(SystemError) {
      answer = try Awaited()
    } catch {
      throw .step(.capture, error)
    }
    call { answer.set($0) }
    return try answer.get()
  }
}

/// An answer that comes from another thread.
private final class Awaited<Value: Sendable>: Sendable {
  private let there: Event
  private let result = Mutex<Result<Value, TakeError>?>(nil)

  init() throws(SystemError) { there = try Event() }

  func set(_ result: Result<Value, TakeError>) {
    self.result.withLock { $0 = result }
    there.signal()
  }

  func get() throws(TakeError) -> Value {
    do throws(SystemError) {
      _ = try there.descriptor.wait(upTo: nil)
    } catch {
      throw .step(.capture, error)
    }
    guard let result = result.withLock({ $0 }) else {
      throw .step(.capture, SystemError("poll", errno: .interrupted))
    }
    return try result.get()
  }
}
