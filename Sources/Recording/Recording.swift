package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// A recording. It has two threads of its own, for capture and writing.
///
/// Orders come from one or more other threads. Each order applies at an exact frame.
package final class Recording: Sendable {
  /// An event that is readable after the last frame is written and the last file is complete.
  package let ended: Event
  /// The time without frames after which the device counts as stalled.
  package let longestSilence: Duration
  private let state: CaptureState
  private let edits = EditQueue()
  private let board = ProgressBoard()
  private let ending = Mutex<RecordingEnd?>(nil)
  /// The number of frames after which the take ends, or nil if there is no limit.
  private let limit: Mutex<FrameCount?>
  /// The largest length reported so far.
  private let greatest = Atomic<Int64>(0)
  private let preRoll: Int
  /// The maximum number of frames between the last delivered frame and a later order.
  private let farthest: Int
  /// The time of the order that closed the device for a pause, on the clock that includes suspended
  /// time, or nil while the device is open.
  private let released = Mutex<Duration?>(nil)

  /// Starts the recording.
  ///
  /// - Parameters:
  ///   - reopen: reopens a lost device. It is called on the capture thread.
  ///   - files: creates the files after the first one, and completes all files. The last file is
  ///     completed at the end.
  package init<
    Source: FrameSource & ~Copyable, File: TakeFile & ~Copyable,
    Converter: RateConverter & ~Copyable
  >(
    from source: consuming Source, to file: consuming File, converter: consuming Converter?,
    _ settings: RecordingSettings, files: TakeFiles<File>,
    reopen: @escaping @Sendable () -> Source?
  ) throws(SystemError) {
    ended = try Event()
    longestSilence = source.format.longestSilence(withPeriod: source.period)
    let input = source.format
    state = try CaptureState(Timeline(settings.clock, at: input.rate))
    let rest = CaptureRest(for: source)
    let longest = FrameCount(rest?.patience ?? rest?.length ?? .zero, at: input.rate)
    farthest = Int((source.period + source.period + longest).value) + input.rate.hertz / 10
    limit = Mutex(settings.limits.frames)
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
        file, path: path, input: input,
        from: IncomingFrames(
          ring.reader(), gaps: gaps.reader(), edits: edits, state: state, capture: capture),
        state: state, board: board, tracks: settings.tracks, limits: settings.limits,
        voice: settings.voice, files: files, monitor: settings.monitor))
    // Start the capture thread first. If the writer thread cannot be started, the capture can still
    // be stopped, and the file is unchanged.
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

  /// The number of frames that the device has delivered. The writer may not have processed all of
  /// them.
  package var captured: FrameCount { FrameCount(state.captured.load(ordering: .relaxed)) }

  /// The number of lost frames, including those that the writer has not processed.
  package var lost: FrameCount { FrameCount(state.lost.load(ordering: .relaxed)) }

  /// The number of a file descriptor that becomes readable when frames are lost, when the device of
  /// a track disappears or returns, and when the writer waits for a check of the microphone access.
  /// It stays readable until `clearLoss`.
  package var lossNumber: Int32 { state.loss.descriptor.number }

  /// Makes the descriptor `lossNumber` unreadable until the next event.
  package func clearLoss() { state.loss.clear() }

  /// The number of orders so far. The writer has carried out all of them when its progress shows
  /// the same number.
  package var ordered: Int { edits.ordered }

  /// The writer's progress.
  package var progress: TakeProgress { board.snapshot() }

  /// The length of the take, including the frames on their way to the file, at the device's rate.
  /// It never decreases before the end. At the end, it becomes the length of the files.
  package var length: FrameCount {
    let isOver = end != nil
    // Read the pauses before the progress. So no pause is missed if the writer carries it out
    // between the two reads.
    let pauses = edits.pauses(in: 0...(.max))
    let progress = board.snapshot()
    let written = progress.frames.onDisk
    if isOver || progress.isArmed { return written }
    let limit = limit.withLock { $0 } ?? .most
    let length = min(written + coming(after: progress, pauses), limit)
    return FrameCount(greatest.max(length.value, ordering: .relaxed).newValue)
  }

  /// Returns the number of frames captured after the writer's report, without those in pauses.
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

  /// Whether the frames in the files, together with the frames that a missing device has lost so
  /// far, reach the maximum length. The writer gets such a loss only when the device is back, so it
  /// cannot end the take.
  package var isFullOfLosses: Bool {
    guard let limit = limit.withLock({ $0 }) else { return false }
    let (captured, lost) = (captured, lost)
    // The writer may not have carried out the last pause.
    let pause = edits.pauses(in: 0...(.max)).last
    let progress = board.snapshot()
    let missing = lost - progress.frames.lost
    // While the writer is behind, it may end the take itself.
    guard missing > 0, progress.frames.captured == captured else { return false }
    let isKept = !progress.isArmed && !(pause?.isPaused ?? progress.isPaused)
    return isKept && progress.frames.onDisk + missing >= limit
  }

  /// Sets whether the recording is unattended: no client, screen or monitor waits for frames. An
  /// unattended recording works in larger blocks, which needs fewer wakeups.
  package func leaveUnattended(_ isUnattended: Bool) { state.leaveUnattended(isUnattended) }

  /// Returns the events of the take since the last call, oldest first.
  package func takeEvents() -> [PositionedEvent] { board.takeEvents() }

  /// Pauses the take. Frames from now on are skipped. A paused take stays paused.
  ///
  /// - Parameter releasing: true to close the device until the recording resumes.
  package func pause(releasing: Bool = false) {
    if isReleased { return }
    let position = order(.pause)
    guard releasing else { return }
    released.withLock { $0 = state.timeline.clock.bootTime }
    state.release(after: position)
  }

  /// Resumes the take. Frames from now on are kept. A device that the pause closed is reopened. If
  /// this fails, the recording ends.
  ///
  /// - Parameter instant: a time on the monotonic clock. If it is in the future and the device is
  ///   open, frames are kept from that time on. A new pause before that time cancels the resume.
  package func resume(at instant: Duration? = nil) {
    if let instant, instant > clock.monotonic, !isReleased { return edits.resume(at: instant) }
    guard let since = released.withLock({ $0.take() }) else {
      order(.resume)
      return
    }
    if state.keepOpen() {
      order(.resume)
      return
    }
    let length = FrameCount(state.timeline.clock.bootTime - since, at: state.timeline.rate)
    // The position is not after the captured frames, because a closed device delivers no frames.
    order(.reopen(after: length), at: state.captured.load(ordering: .relaxed))
    state.reclaim()
  }

  /// Changes the number of frames after which the take ends, counted from its beginning. Nil
  /// removes the limit.
  package func setLimit(_ frames: FrameCount?) {
    limit.withLock { $0 = frames }
    order(.limit(frames))
  }

  /// Whether a pause keeps the device closed.
  package var isReleased: Bool { state.isReleased }

  /// Marks the frame that is captured now.
  package func mark(_ text: String) { order(.mark(text)) }

  /// Records that a track has another device now.
  package func noteDevice(ofTrack track: String?, from former: String, to present: String) {
    order(.event(.device(ofTrack: track, from: former, to: present)))
  }

  /// Continues in a new file from the current frame on.
  package func split() { order(.split) }

  /// Starts a waiting take, including its pre-roll.
  ///
  /// - Parameter instant: a past time on the monotonic clock. Frames from before this time are not
  ///   kept.
  package func trigger(since instant: Duration? = nil) {
    let passed = instant.map { FrameCount(max(.zero, clock.monotonic - $0), at: rate) }
    order(.begin, at: max(0, now - min(preRoll, passed.map { Int($0.value) } ?? preRoll)))
  }

  private var clock: any StreamClock { state.timeline.clock }
  private var rate: SampleRate { state.timeline.rate }

  /// Stops the take. It keeps the frames that were captured until now.
  package func cut() { cut(since: .zero) }

  /// Stops the take at the moment when the microphone access was lost.
  ///
  /// - Parameter age: the time since the loss, or nil if it is unknown. With nil, frames that are
  ///   not written yet are dropped. These frames are few, because the writer writes at least every
  ///   0.6 s, and waits for a check after each stall.
  package func cut(since age: Duration?) {
    order(.end, at: position(age))
    state.stop()
  }

  /// Silences tracks permanently, from the frame at which `cut(since:)` would stop the take. The
  /// devices of these tracks are not captured any more.
  package func silence(_ tracks: TrackSet, _ cause: Gap.Cause, since age: Duration?) {
    order(.silence(tracks, cause), at: position(age))
    state.silence(tracks)
  }

  private func position(_ age: Duration?) -> Int {
    age.map { max(0, now - Int(FrameCount($0, at: rate).value)) } ?? 0
  }

  /// The tracks whose device is missing, without those that were silenced.
  package var missing: TrackSet { state.missing.subtracting(state.silenced) }

  /// Makes the writer wait after each stall of a second and after each possible change of the
  /// microphone access, until `settleDoubt` or `cut` is called. During a stall, the access may have
  /// been revoked without notice.
  ///
  /// - Parameters:
  ///   - changes: a descriptor that is readable if the access may have changed.
  ///   - mounts: a descriptor of the list of mounts, or −1. Only the writer polls it.
  ///   - expiry: the time when the access expires, or nil if it does not.
  package func guardWriting(by changes: Int32, mounts: Int32, until expiry: Duration?) {
    state.guardWriting(by: changes, mounts: mounts, until: expiry)
  }

  /// Whether the writer waits for a check of the microphone access. If so, `lossNumber` is
  /// readable.
  package var isDoubted: Bool { state.isDoubted }

  /// Makes the writer wait until `settleDoubt`, because the session is about to check the access.
  package func hold() { state.hold() }

  /// Lets the writer continue.
  package func settleDoubt() { state.settleDoubt() }

  /// Stops after the device has delivered the frames that it holds.
  package func stop() { state.stop() }

  /// Ends the recording without the capture thread, which does not respond. Frames in memory are
  /// still written.
  package func abandonCapture(_ reason: CaptureEnd) { state.finish(reason) }

  @discardableResult
  private func order(_ action: Edit.Action) -> Int { order(action, at: now) }

  @discardableResult
  private func order(_ action: Edit.Action, at position: Int) -> Int {
    defer { state.arrival.signal() }
    return edits.add(action, at: position)
  }

  /// The position of the frame that is captured now. It may be after the last delivered frame,
  /// because the device delivers frames only in periods.
  private var now: Int {
    let captured = state.captured.load(ordering: .relaxed)
    guard let frame = state.timeline.now else { return captured }
    let ahead = Int(frame.value) - state.lost.load(ordering: .relaxed) - captured
    // The device has at most `farthest` frames that are not delivered yet. If the result is outside
    // of this range, it is wrong, and the position after the last delivered frame is used.
    return (0...farthest).contains(ahead) ? captured + ahead : captured
  }
}
