package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// A recording that runs on two threads of its own, capture and writer.
///
/// Orders come from one other thread, or several; each lies at an exact frame.
package final class Recording: Sendable {
  /// Readable once the last frame is written and the finisher has run.
  package let ended: Event
  private let state: CaptureState
  private let edits = EditQueue()
  private let board = ProgressBoard()
  private let ending = Mutex<RecordingEnd?>(nil)
  /// The frames after which the take ends; nil without such a limit.
  private let limit: FrameCount?
  /// The greatest length that was reported.
  private let greatest = Atomic<Int64>(0)
  private let preRoll: Int
  /// The greatest distance of an order ahead of the delivered frames.
  private let farthest: Int
  /// The moment of the order that closed the device for a pause, by the clock that counts sleep;
  /// nil while it is open.
  private let released = Mutex<Duration?>(nil)

  /// Starts to record.
  ///
  /// - Parameters:
  ///   - reopen: opens the device anew after it went; called on the capture thread.
  ///   - files: makes and completes its files after the first; the last one comes with the end.
  package init<
    Source: FrameSource & ~Copyable, File: TakeFile & ~Copyable,
    Converter: RateConverter & ~Copyable
  >(
    from source: consuming Source, to file: consuming File, converter: consuming Converter?,
    _ settings: RecordingSettings, files: TakeFiles<File>,
    reopen: @escaping @Sendable () -> Source?
  ) throws(SystemError) {
    ended = try Event()
    let input = source.format
    state = try CaptureState(Timeline(settings.clock, at: input.rate))
    let rest = CaptureRest(for: source)
    let longest = FrameCount(rest?.patience ?? rest?.length ?? .zero, at: input.rate)
    farthest = Int((source.period + source.period + longest).value) + input.rate.hertz / 10
    limit = settings.limits.frames
    preRoll = Int(FrameCount(settings.voice.preRoll, at: input.rate).value)
    var ring = SampleRing(
      capacity: FrameCount(settings.memory + settings.voice.preRoll, at: input.rate),
      bytesPerFrame: input.bytesPerFrame)
    var gaps = SampleRing(capacity: 256, bytesPerFrame: GapRecord.bytes)
    let path = FramePath(
      from: input, to: file.stream, settings.changes, converter: converter, seed: settings.seed)
    let capture = SharedCapture(
      CaptureLoop(
        source, frames: ring.writer(), gaps: gaps.writer(), state: state,
        patience: settings.patience, clock: settings.clock, reopen: reopen),
      state, clock: settings.clock)
    let writer = Handoff(
      TakeWriter(
        file, path: path, input: input, frames: ring.reader(), gaps: gaps.reader(), state: state,
        edits: edits, board: board, limits: settings.limits, voice: settings.voice,
        files: files, monitor: settings.monitor, capture: capture))
    // The capture first: without a writer it can be stopped, and the file is as it was.
    _ = try Thread("capture", priority: .realTime(20)) { capture.run() }
    do {
      _ = try Thread("writer") { [self] in
        if let writer = writer.take() {
          writer.run { file, segment, end in self.complete(file, segment, end, files) }
        }
      }
    } catch {
      state.stop()
      throw error
    }
  }

  private func complete<File: TakeFile & ~Copyable>(
    _ file: consuming File, _ segment: TakeSegment, _ end: WriteEnd, _ files: TakeFiles<File>
  ) {
    state.stop()
    let end = RecordingEnd(capture: state.report?.end, write: end)
    files.complete(file, segment, end)
    ending.withLock { $0 = end }
    ended.signal()
  }
}

extension Recording {
  /// The end of the recording, or nil while it runs.
  package var end: RecordingEnd? { ending.withLock { $0 } }

  /// The end of the capture, or nil while it runs.
  package var captureEnd: CaptureEnd? { state.report?.end }

  /// Frames that the device has delivered; the writer may not have come to all of them.
  package var captured: FrameCount { FrameCount(state.captured.load(ordering: .relaxed)) }

  /// Frames lost, those that the writer has not come to included.
  package var lost: FrameCount { FrameCount(state.lost.load(ordering: .relaxed)) }

  /// The number of a descriptor that is readable once more frames are lost, until `clearLoss`.
  package var lossNumber: Int32 { state.loss.descriptor.number }

  /// Takes note of the loss so far.
  package func clearLoss() { state.loss.clear() }

  /// The number of orders so far; the writer has obeyed all of them once its progress shows as many.
  package var ordered: Int { edits.ordered }

  /// The writer's progress.
  package var progress: TakeProgress { board.look() }

  /// The length of the take, with the frames that are on their way to the file, at the device's
  /// rate. It never decreases before the end, when it becomes that of the files.
  package var length: FrameCount {
    let isOver = end != nil
    // The pauses first: one that the writer carries out meanwhile is then in the progress, too.
    let pauses = edits.pauses(in: 0...(.max))
    let progress = board.look()
    let written = progress.frames.onDisk
    if isOver || progress.isArmed { return written }
    let length = min(written + coming(after: progress, pauses), limit ?? .most)
    return FrameCount(greatest.max(length.value, ordering: .relaxed).newValue)
  }

  /// Frames that were captured after the writer's report, without those of pauses.
  private func coming(after progress: TakeProgress, _ pauses: [EditQueue.Pause]) -> FrameCount {
    var (position, isPaused) = (Int(progress.frames.captured.value), progress.isPaused)
    var count = 0
    for pause in pauses where pause.position >= position {
      if !isPaused { count += pause.position - position }
      (position, isPaused) = pause
    }
    if isPaused { return FrameCount(count) }
    let isStopping = state.isStopping.load(ordering: .relaxed)
    let present = isStopping ? Int(captured.value) : now
    return FrameCount(count + max(0, present - position))
  }

  /// Lets the recording work in larger pieces while nobody looks on, which costs fewer wakes.
  package func leaveUnattended(_ isUnattended: Bool) { state.leaveUnattended(isUnattended) }

  /// Returns the events of the take since the last call, in order.
  package func takeEvents() -> [PlacedEvent] { board.takeEvents() }

  /// Pauses: frames from now on are skipped.
  ///
  /// - Parameter releasing: true to close the device until the recording resumes.
  package func pause(releasing: Bool = false) {
    let position = order(.pause)
    guard releasing else { return }
    released.withLock { $0 = state.timeline.clock.bootTime }
    state.release(after: position)
  }

  /// Resumes: frames from now on are kept. A device that the pause has closed is opened again, and
  /// one that cannot be ends the recording.
  package func resume() {
    guard let since = released.withLock({ $0.take() }) else {
      order(.resume)
      return
    }
    if state.keepOpen() {
      order(.resume)
      return
    }
    let length = FrameCount(state.timeline.clock.bootTime - since, at: state.timeline.rate)
    // Not a frame ahead of those that are there: a closed device brings none.
    order(.reopen(after: length), at: state.captured.load(ordering: .relaxed))
    state.reclaim()
  }

  /// True while a pause keeps the device closed.
  package var isReleased: Bool { state.isReleased }

  /// Marks the frame that is captured now.
  package func mark(_ text: String) { order(.mark(text)) }

  /// Continues in a new file with the frames from now on.
  package func split() { order(.split) }

  /// Starts a take that waits, including its pre-roll.
  ///
  /// - Parameter instant: a moment of the monotonic clock that has passed: frames from before are
  ///   not kept.
  package func trigger(since instant: Duration? = nil) {
    let passed = instant.map { FrameCount(max(.zero, clock.monotonic - $0), at: rate) }
    order(.begin, at: max(0, now - min(preRoll, passed.map { Int($0.value) } ?? preRoll)))
  }

  private var clock: any StreamClock { state.timeline.clock }
  private var rate: SampleRate { state.timeline.rate }

  /// Stops with the frames captured until now, and none later; after a standstill with those that
  /// were written before it.
  package func cut() {
    if state.isDoubted { order(.end, at: 0) } else { order(.end) }
    state.stop()
  }

  /// Makes the writer wait after each standstill of a second until `settleDoubt` or `cut`: in that
  /// time the microphone access may have been lost without notice.
  package func guardWriting() { state.guardWriting() }

  /// True while the writer waits for a check of the microphone access. `lossNumber` is readable then.
  package var isDoubted: Bool { state.isDoubted }

  /// Lets the writer continue.
  package func settleDoubt() { state.settleDoubt() }

  /// Stops once the device has delivered the frames that it holds.
  package func stop() { state.stop() }

  /// Ends without the capture thread, which does not answer; frames in memory are still written.
  package func abandonCapture(_ reason: CaptureEnd) { state.finish(reason) }

  @discardableResult
  private func order(_ action: Edit.Action) -> Int { order(action, at: now) }

  @discardableResult
  private func order(_ action: Edit.Action, at position: Int) -> Int {
    defer { state.arrival.signal() }
    return edits.add(action, at: position)
  }

  /// The frame that is captured now, as the ring will count it: the device delivers only so often.
  private var now: Int {
    let captured = state.captured.load(ordering: .relaxed)
    guard let frame = state.timeline.now else { return captured }
    let ahead = Int(frame.value) - state.lost.load(ordering: .relaxed) - captured
    // The device does not deliver further ahead than that, and whatever comes next comes after the
    // order.
    return (0...farthest).contains(ahead) ? captured + ahead : captured
  }
}

/// Everything about a recording that is no device and no file.
package struct RecordingSettings: Sendable {
  /// The changes between the device and the file.
  package var changes = FrameChanges()
  /// The lengths and sizes at which the take ends or starts a new file.
  package var limits = TakeLimits()
  /// The levels that start and stop the take.
  package var voice = VoiceSettings()
  /// The length of sound that fits between the device and a disk that stands still.
  package var memory: Duration = .seconds(12)
  /// The longest wait for a device that went; nil ends the take at once.
  package var patience: Duration?
  /// The seed of the dither.
  package var seed: UInt64 = 1
  /// The capture thread's time.
  package var clock: any StreamClock = KernelStreamClock()
  /// The listener of the take; nil where nobody listens.
  package var monitor: (any TakeMonitor)?

  /// A take of all channels without limits, which starts at once.
  package init() {}
}
