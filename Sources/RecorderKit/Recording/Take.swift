internal import Audio
internal import Control
internal import Recording
package import Takes

/// A recording that runs in this program, started by `Recorder`.
///
/// `recorder status` lists it. `recorder stop` and `recorder permission revoke` end the recording,
/// but never the program. The recording continues until it is ended, even if the program has no
/// reference to it.
public final class Take: Sendable {
  /// The state of a recording.
  public enum State: Hashable, Sendable {
    case recording, paused
    /// The recording has ended, and its file is being completed.
    case finishing
    case ended
  }

  /// An event during a recording.
  public enum Event: Hashable, Sendable {
    /// A mark and its position in the file.
    case marked(String, at: Duration)
    case paused, resumed
    /// This number of the device's frames was lost. Silence replaces them.
    case lost(frames: Int64)
    /// A file is complete and has its final name.
    case file(String)
  }

  /// The hosted recording, for the other targets of this package.
  package let hosted: HostedRecording
  let news: TakeNews

  init(_ hosted: HostedRecording, _ news: TakeNews) {
    self.hosted = hosted
    self.news = news
    hosted.whenEnded { _ in news.end() }
    news.whenHeard { [weak hosted] in hosted?.wakeSession() }
  }
}

extension Take {
  /// The name in `recorder status`.
  public var name: String { hosted.plan.name }

  /// The capture device, by the name that was given.
  public var device: Device { Device(hosted.plan.capture.device) }

  /// The format of the frames in the file.
  public var format: AudioFormat {
    hosted.facts.map { AudioFormat($0.output) } ?? AudioFormat(sampleRate: 48_000, channelCount: 2)
  }

  /// The path that the file gets when it is complete, or nil if there is none. With several files,
  /// it is the path of the current file.
  public var path: String? { hosted.facts?.path }

  /// The current state.
  public var state: State {
    switch hosted.state {
    case .starting, .armed, .recording: .recording
    case .paused: .paused
    case .finishing: .finishing
    case nil: .ended
    }
  }

  /// The length recorded so far. It does not change during a pause.
  public var duration: Duration {
    news.noteRead()
    return hosted.facts.map { $0.length.duration(at: $0.input.rate) } ?? .zero
  }

  /// The levels of the last few milliseconds; silence during a pause and after the end.
  public var currentLevels: Levels {
    news.noteRead()
    guard state == .recording, let progress = hosted.facts?.progress else {
      return Levels(all: .silence, channels: (0..<format.channelCount).map { _ in .silence })
    }
    return Levels(all: Level(progress.level), channels: progress.channels.map(Level.init))
  }
}

extension Take {
  /// The levels, about once in each `Recorder.bufferDuration`. A slow listener misses the oldest
  /// levels.
  public var levels: Updates<Levels> { news.levels.updates }

  /// The frames of the file, in its format.
  ///
  /// A listener that is fast enough receives each frame once. For a slow listener, a few seconds of
  /// sound are kept. A listener that falls further behind misses the oldest sound, and `lost` of
  /// the next buffer is the number of missed frames.
  public var buffers: Updates<AudioBuffer> { news.buffers.updates }

  /// Returns the frames of the recording in another format, such as 16 kHz for speech recognition.
  ///
  /// Each listener converts in its own task. The iteration throws if the format is invalid, or if
  /// the recording has several channels, but fewer than the format.
  public func buffers(as format: AudioFormat) -> ConvertedBuffers {
    ConvertedBuffers(source: buffers, format: format)
  }

  /// All events of the recording.
  public var events: Updates<Event> { news.events.updates }
}

extension Take {
  /// Pauses. Sound is not recorded until the recording resumes.
  ///
  /// - Parameter releasingMicrophone: whether to close the device until the recording resumes, so
  ///   that no program shows the microphone as in use. A paused recording can close the device
  ///   later, by a second call. Opening the device again takes a moment; if that fails, the
  ///   recording ends.
  public func pause(releasingMicrophone: Bool = false) async throws(RecorderError) {
    try await answer(of: { hosted.pause(releasing: releasingMicrophone, $0) })
  }

  /// Resumes. Throws if the microphone is not allowed any more.
  public func resume() async throws(RecorderError) { try await answer(of: { hosted.resume($0) }) }

  /// Sets a mark now, and returns its position in the file.
  @discardableResult
  public func mark(_ text: String = "") async throws(RecorderError) -> Duration {
    let label = try translated { try MarkText(text) }
    return try await answer(of: { hosted.mark(label, $0) })
  }

  /// Continues the recording in a new file from now on.
  public func split() async throws(RecorderError) { try await answer(of: { hosted.split($0) }) }

  /// Requests the end of the recording, and returns immediately. `result` waits for the end.
  public func requestStop() { hosted.requestEnd() }

  /// Ends the recording, and returns once the file is complete.
  @discardableResult
  public func stop() async -> Result {
    requestStop()
    return await result
  }

  /// Ends the recording and discards it. If it has several files, the files that are already
  /// complete are kept.
  public func discard() async {
    hosted.requestEnd(discarding: true)
    _ = await result
  }

  /// The result, once the recording has ended and its file is complete. Cancelling the task does
  /// not end the wait.
  public var result: Result {
    get async {
      await withCheckedContinuation { waiting in
        whenEnded { waiting.resume(returning: $0) }
      }
    }
  }

  /// Calls the closure with the result at the end, on a thread of the recording. If the recording
  /// has already ended, calls it immediately.
  package func whenEnded(_ told: @escaping @Sendable (Result) -> Void) {
    hosted.whenEnded { result in told(Result(result)) }
  }
}

extension Take {
  /// The result of a recording.
  public struct Result: Hashable, Sendable {
    /// The reason why a recording ended.
    public enum Reason: Hashable, Sendable {
      /// Stopped by this program, by `recorder stop` or by the cancellation of a task.
      case stopped
      /// The recording reached its maximum length or size.
      case duration, size
      /// Access to the microphone was revoked, or it expired.
      case permission, expired
      /// The device was disconnected or failed, or the recording failed for another reason, which
      /// `message` describes.
      case device
      /// The disk is full or failed, or the file was removed.
      case disk
      /// The recording was discarded.
      case discarded
    }

    /// The path of the file, or nil if no file was kept. With several files, it is the path of the
    /// last file.
    public var path: String?
    /// The reason why the recording ended.
    public var reason: Reason
    /// The total length of all files.
    public var duration: Duration
    /// The numbers of frames: delivered by the device, lost, and filled with silence.
    public var captured: Int64, lost: Int64, filled: Int64
    /// The highest sample; full scale is 1.
    public var peak: Double
    /// A description of the faults, or nil if there were none.
    public var message: String?

    /// Whether a file was kept and no frame was lost.
    public var isComplete: Bool { lost == 0 && path != nil }
  }
}

extension Take.Result {
  init(_ result: Swift.Result<RecordingResult, any Error>) {
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

/// Blocking versions of the functions above. Never use them on a thread of Swift concurrency.
extension Take {
  package func pauseWaiting() throws(RecorderError) {
    try awaitingAnswer { hosted.pause(releasing: false, $0) }
  }

  /// Triggers a recording that waits for a trigger. The recording begins with the frames since
  /// `instant`. Returns immediately.
  package func trigger(since instant: SuspendingClock.Instant) {
    hosted.trigger(since: instant.monotonic) { _ in }
  }

  /// Sets the length at which the recording ends, or no limit if `longest` is nil. Resumes the
  /// recording at `instant`, or now if `instant` is nil. Does not wait for `instant`.
  package func resumeWaiting(
    upTo longest: Duration?, at instant: SuspendingClock.Instant?
  ) throws(RecorderError) {
    try awaitingAnswer { hosted.resume(upTo: longest, at: instant?.monotonic, $0) }
  }

  package func stopWaiting() throws(RecorderError) -> Result {
    requestStop()
    return try awaiting { whenEnded($0) }
  }
}
