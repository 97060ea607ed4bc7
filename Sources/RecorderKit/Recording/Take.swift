internal import Audio
internal import Control
internal import Linux
internal import RealTime
internal import Recording
internal import Synchronization
package import Takes

/// A recording that runs in this program, begun by `Recorder`.
///
/// `recorder status` lists it, `recorder stop` and `recorder permission revoke` end it, and none of them ever ends the
/// program. It goes on until something ends it, also where nobody holds it any more.
public final class Take: Sendable {
  /// The stage that a recording is at.
  public enum State: Hashable, Sendable {
    case recording, paused
    /// It has been ended, and its file is being completed.
    case finishing
    case ended
  }

  /// Something that happened during a recording.
  public enum Event: Hashable, Sendable {
    /// A mark and its place in the file.
    case marked(String, at: Duration)
    case paused, resumed
    /// So many frames of the device are missing; silence takes their place.
    case lost(frames: Int64)
    /// A file is complete and has its name.
    case file(String)
  }

  /// The engine, for the parts of this package.
  package let hosted: HostedRecording
  let news: TakeNews

  init(_ hosted: HostedRecording, _ news: TakeNews) {
    self.hosted = hosted
    self.news = news
    hosted.whenEnded { _ in news.end() }
    news.whenHeard { [weak hosted] in hosted?.rouse() }
  }
}

extension Take {
  /// The name in `recorder status`.
  public var name: String { hosted.plan.name }

  /// The device that it records from, as it was named.
  public var device: Device { Device(hosted.plan.capture.device) }

  /// The format of the frames in the file.
  public var format: AudioFormat {
    hosted.facts.map { AudioFormat($0.output) } ?? AudioFormat(rate: 48_000, channels: 2)
  }

  /// The file that it is going to be; of several files, the one that is being written.
  public var path: String? { hosted.facts?.path }

  /// The present state.
  public var state: State {
    switch hosted.state {
    case .starting, .armed, .recording: .recording
    case .paused: .paused
    case .finishing: .finishing
    case nil: .ended
    }
  }

  /// The length recorded until this moment; in a pause it does not change.
  public var duration: Duration {
    news.look()
    return hosted.facts.map { $0.length.duration(at: $0.input.rate) } ?? .zero
  }

  /// The levels of the last few milliseconds; silence in a pause and after the end.
  public var level: Levels {
    news.look()
    guard state == .recording, let progress = hosted.facts?.progress else {
      return Levels(all: .silence, channels: (0..<format.channels).map { _ in .silence })
    }
    return Levels(all: Level(progress.level), channels: progress.channels.map(Level.init))
  }
}

extension Take {
  /// The levels of each few milliseconds. A slow listener misses the oldest.
  public var levels: Updates<Levels> { news.levels.updates }

  /// The frames as the file gets them, with samples of type `Float`.
  ///
  /// A listener who keeps up gets each frame once. One who is slow keeps some seconds of sound and then misses the
  /// oldest: `lost` of the next buffer says how many frames.
  public var buffers: Updates<AudioBuffer> { news.buffers.updates }

  /// Everything that happens to it.
  public var events: Updates<Event> { news.events.updates }
}

extension Take {
  /// Pauses: what is heard from now on is not kept.
  ///
  /// - Parameter releasingMicrophone: true to close the device until the recording resumes, so that no program shows
  ///   the microphone as in use; opening it again takes a moment, and where that fails the recording ends.
  public func pause(releasingMicrophone: Bool = false) async throws(RecorderError) {
    try await answer(of: { hosted.pause(releasing: releasingMicrophone, $0) })
  }

  /// Resumes; throws where the microphone is not allowed any more.
  public func resume() async throws(RecorderError) { try await answer(of: { hosted.resume($0) }) }

  /// Marks this moment, and returns its place in the file.
  @discardableResult
  public func mark(_ text: String = "") async throws(RecorderError) -> Duration {
    let label: MarkText
    do throws(MarkTextFlaw) {
      label = try MarkText(text)
    } catch {
      throw RecorderError(.markText(error))
    }
    return try await answer(of: { hosted.mark(label, $0) })
  }

  /// Continues in a new file from this moment on.
  public func split() async throws(RecorderError) { try await answer(of: { hosted.split($0) }) }

  /// Asks it to end; `result` tells once it has.
  public func requestStop() { hosted.requestEnd() }

  /// Ends it, and returns once the file is complete.
  @discardableResult
  public func stop() async -> Result {
    requestStop()
    return await result
  }

  /// Ends it without keeping what was recorded; of several files, those that are complete stay.
  public func discard() async {
    hosted.requestEnd(discarding: true)
    _ = await result
  }

  /// The result, once the recording has ended and its file is complete.
  public var result: Result {
    get async {
      await withCheckedContinuation { waiting in
        whenEnded { waiting.resume(returning: $0) }
      }
    }
  }

  /// Calls `told` with the result at the end, on a thread of the recording.
  package func whenEnded(_ told: @escaping @Sendable (Result) -> Void) {
    hosted.whenEnded { result in told(Result(result)) }
  }
}

extension Take {
  /// The result of a recording.
  public struct Result: Hashable, Sendable {
    /// The reason of an end.
    public enum Reason: Hashable, Sendable {
      /// Somebody stopped it: this program, `recorder stop`, or the cancelling of a task.
      case stopped
      /// It reached its greatest length, or its greatest size.
      case duration, size
      /// Access to the microphone was revoked, or ended by itself.
      case permission, expired
      /// The device was disconnected or failed.
      case device
      /// The disk is full or failed, or somebody removed the file.
      case disk
      /// It was discarded.
      case discarded
    }

    /// The file; of several, the last. Nil where none was kept.
    public var path: String?
    /// The reason of the end.
    public var reason: Reason
    /// The length of all files together.
    public var duration: Duration
    /// Frames that the device delivered, that it lost, and of silence that takes the place of lost ones.
    public var captured: Int64, lost: Int64, filled: Int64
    /// The highest sample, 1 being full scale.
    public var peak: Double
    /// Faults in words; nil where there were none.
    public var message: String?

    /// True where nothing is missing.
    public var isComplete: Bool { lost == 0 && path != nil }
  }
}

extension Take.Result {
  init(_ result: Swift.Result<RecordingResult, TakeError>) {
    switch result {
    case .success(let result): self.init(result)
    case .failure(let error):
      self.init(
        path: nil, reason: .device, duration: .zero, captured: 0, lost: 0, filled: 0, peak: 0,
        message: RecorderError(error).description)
    }
  }

  init(_ result: RecordingResult) {
    let frames = result.total?.frames ?? result.facts.frames
    self.init(
      path: result.path, reason: Reason(result.reason), duration: result.takeDuration,
      captured: frames.captured.value, lost: frames.lost.value, filled: frames.filled.value,
      peak: result.highestPeak, message: result.message)
  }
}

extension Take.Result.Reason {
  init(_ reason: EndReason) {
    switch reason {
    case .stopped, .split, .silence, .interrupted: self = .stopped
    case .duration: self = .duration
    case .size: self = .size
    case .permission: self = .permission
    case .expired: self = .expired
    case .device: self = .device
    case .disk, .closedOutput: self = .disk
    case .cancelled, .discarded: self = .discarded
    }
  }
}

/// The same calls for a thread that may wait: never for one of Swift's concurrency.
extension Take {
  package func pauseWaiting(releasingMicrophone: Bool = false) throws(RecorderError) {
    try awaitingAnswer { hosted.pause(releasing: releasingMicrophone, $0) }
  }

  /// Begins to keep frames, those since `instant` of `Player.clock`, in a recording that waits for
  /// that; returns at once.
  package func trigger(since instant: Duration) { hosted.trigger(since: instant) { _ in } }

  package func resumeWaiting() throws(RecorderError) {
    try awaitingAnswer { hosted.resume($0) }
  }

  package func stopWaiting() throws(RecorderError) -> Result {
    requestStop()
    return try awaiting { whenEnded($0) }
  }

  package func discardWaiting() throws(RecorderError) {
    hosted.requestEnd(discarding: true)
    let _: Result = try awaiting { whenEnded($0) }
  }
}

/// The news of a capture, sent to whoever listens in this program.
///
/// The writing thread of the engine calls it, and pays for what is heard: without a listener nothing is copied.
final class TakeNews: TakeMonitor {
  let levels: Broadcast<Levels>
  let buffers: Broadcast<AudioBuffer>
  let events = Broadcast<Take.Event>(keeping: 4_096)
  private let rate = Atomic<Int>(48_000)
  /// The one to tell that somebody listens from now on.
  private let caller: Caller
  /// The seconds on the monotonic clock at which somebody last asked for the present state.
  private let looked = Atomic<Int64>(.min)

  /// The time for which one look keeps the frames coming soon.
  private static let attention: Int64 = 2

  private final class Caller: Sendable {
    let call = Mutex<(@Sendable () -> Void)?>(nil)

    func rouse() { call.withLock { $0 }?() }
  }

  init() {
    let caller = Caller()
    self.caller = caller
    levels = Broadcast(keeping: 64, audienceChanged: { if $0 { caller.rouse() } })
    buffers = Broadcast(
      keeping: 512, dropping: { $1.following(missed: $0) },
      audienceChanged: { if $0 { caller.rouse() } })
  }

  /// Calls `rouse` whenever somebody begins to listen or to look, so that frames come sooner.
  func whenHeard(_ rouse: @escaping @Sendable () -> Void) { caller.call.withLock { $0 = rouse } }

  /// Notes that somebody asks for the present state, and does so again soon.
  func look() {
    let now = KernelClock.monotonic.now.components.seconds
    let before = looked.exchange(now, ordering: .relaxed)
    if before < now - Self.attention { caller.rouse() }
  }

  var isListening: Bool {
    let now = KernelClock.monotonic.now.components.seconds
    return levels.hasAudience || buffers.hasAudience
      || looked.load(ordering: .relaxed) >= now - Self.attention
  }

  func take(_ frames: RawSpan, of stream: StreamFormat, at position: Int) {
    rate.store(stream.rate.hertz, ordering: .relaxed)
    guard buffers.hasAudience else { return }
    let count = frames.byteCount / stream.sample.bytesPerSample
    var samples = [Float](repeating: 0, count: count)
    var room = samples.mutableSpan
    SampleConversion(from: stream.sample, to: .float32).convert(frames, into: &room)
    buffers.send(
      AudioBuffer(samples, format: AudioFormat(stream).floating, position: Int64(position)))
  }

  func measured(_ level: Audio.Level, _ channels: [Audio.Level]) {
    guard levels.hasAudience else { return }
    levels.send(Levels(all: Level(level), channels: channels.map(Level.init)))
  }

  func note(_ event: PlacedEvent) {
    switch event.event {
    case .mark(let text):
      let rate = SampleRate(rate.load(ordering: .relaxed)) ?? .hz48000
      events.send(.marked(text, at: event.frame.duration(at: rate)))
    case .paused: events.send(.paused)
    case .resumed: events.send(.resumed)
    case .gap(let gap): events.send(.lost(frames: gap.length.value))
    }
  }

  /// Ends every sequence.
  func end() {
    levels.end()
    buffers.end()
    events.end()
    caller.call.withLock { $0 = nil }
  }
}

extension TakeNews: TakeHost {
  private var plain: PlainHost { PlainHost() }

  func words(for fault: TakeFault) -> String { plain.words(for: fault) }
  func words(for cause: EndCause) -> String? { plain.words(for: cause) }
  func words(for remark: ResultRemark) -> String { plain.words(for: remark) }
  func words(for warning: SessionWarning) -> String { plain.words(for: warning) }
  func refusal(for error: TakeError) -> Refusal { plain.refusal(for: error) }
  func label(for cut: TimelineCut) -> String { plain.label(for: cut) }
  func report(_ error: TakeError) {}
  func reportChanged(_ path: String) {}

  func completed(_ result: RecordingResult, of plan: RecordingPlan) {
    if let path = result.path { events.send(.file(path)) }
  }
}
