internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The body of the writing thread. It moves frames from the ring through the conversion to the
/// file. It fills gaps, carries out edits and counts every frame.
///
/// Each step has a limited length. So even a writer that is far behind carries out orders soon.
struct TakeWriter<File: TakeFile & ~Copyable, Converter: RateConverter & ~Copyable>: ~Copyable {
  private enum Step {
    case moved
    case idle
    case ended(WriteEnd)
  }

  private var output: TakeOutput<File, Converter>
  private var incoming: IncomingFrames
  private let state: CaptureState
  private let board: ProgressBoard
  private let input: StreamFormat
  private var limits: TakeLimits
  private let files: TakeFiles<File>
  private let monitor: (any TakeMonitor)?
  private var counts: TakeCounts
  /// The number of orders carried out.
  private var obeyed = 0
  private var gate: TakeGate
  private var schedule: SplitSchedule
  /// Whether the next frame that is written begins a new file.
  private var isCutDue = false

  init(
    _ file: consuming File, path: consuming FramePath<Converter>, input: StreamFormat,
    from incoming: consuming IncomingFrames, state: CaptureState, board: ProgressBoard,
    tracks: [Track] = [], limits: TakeLimits, voice: VoiceSettings = .init(),
    files: TakeFiles<File>, monitor: (any TakeMonitor)? = nil
  ) {
    counts = TakeCounts(
      from: input.rate, to: file.stream.rate, began: state.timeline.clock.wallTime, tracks: tracks)
    output = TakeOutput(file, path, from: input, monitor: monitor)
    self.incoming = incoming
    self.state = state
    self.board = board
    self.input = input
    self.limits = limits
    self.files = files
    self.monitor = monitor
    gate = TakeGate(voice, of: input)
    schedule = SplitSchedule(limits.split)
  }

  /// Writes until the end, then passes the last file to `finish`. Unless a write failed, the
  /// contents of the file match the counts.
  consuming func run(_ finish: (consuming File, TakeSegment, WriteEnd) -> Void) {
    let end = write()
    if output.isCutting { completeFormer(isOver: true) }
    let segment = counts.segment
    output.finish { finish($0, segment, end) }
  }

  private mutating func write() -> WriteEnd {
    do throws(TakeFailure) {
      while true {
        switch try step() {
        case .moved: try refresh(after: TakeOutput<File, Converter>.longestUnrefreshed)
        case .idle:
          try refresh(after: TakeOutput<File, Converter>.refreshInterval)
          publish()
          incoming.wait()
        case .ended(let end):
          try output.drain()
          try refresh(after: .zero)
          return end
        }
      }
    } catch {
      countUnwritten()
      publish()
      return .failed("\(error)")
    }
  }

  /// Performs the next step. Edits at a cut belong to the file before the cut.
  private mutating func step() throws(TakeFailure) -> Step {
    if output.isCutting { completeFormer() }
    if case .end(.duration) = room { return .ended(.duration) }
    if isCutDue { return try step(.max) }
    let untilCut = schedule.room(counts, state.timeline)
    if untilCut == 0 { return cut() }
    switch room {
    // If the header of a file alone exceeds the limit, the file gets frames nevertheless, because
    // the header of the next file would have the same size.
    case .end(.size) where limits.splitsBySize && canCut && schedule.allows(counts): return cut()
    case .end(.size) where limits.splitsBySize: return try step(untilCut)
    case .end(let end): return .ended(end)
    case .frames(let most): return try step(min(most, untilCut))
    }
  }

  private mutating func step(_ most: Int) throws(TakeFailure) -> Step {
    if counts.silenceLeft > 0 { return try fill(most) }
    switch incoming.next(&gate) {
    case .edit(let edit):
      obeyed += edit.isOrder ? 1 : 0
      return apply(edit.action)
    case .gap(let gap):
      // If a cut is due, the whole gap belongs to the next file.
      let isNext = isCutDue && isKept && gap.length > 0
      if isNext, !state.isStopping.load(ordering: .acquiring) { _ = beginFile() }
      lose(gap, isFilled: isKept)
    case .frames(let waiting): return try take(waiting, most)
    case .nothing: return .idle
    case .end(let gap):
      if let gap { lose(gap, isFilled: false) }
      return .ended(.captureEnded)
    }
    return .moved
  }

  private var isKept: Bool { !counts.isPaused && !gate.isArmed }

  private var room: TakeLimits.Room {
    limits.room(
      after: counts.total.onDisk, from: input.rate, produced: output.produced,
      bytes: output.file.bytesWritten, of: output.file.stream)
  }

  /// Writes frames from the ring, or skips them.
  private mutating func take(_ waiting: Int, _ most: Int) throws(TakeFailure) -> Step {
    let isKept = isKept
    if isKept, isCutDue { return beginFile() }
    let limit = min(waiting, output.longest, most)
    let silenced = counts.silencedTracks
    if !silenced.isEmpty { incoming.ring.clear(silenced, upTo: limit, of: input) }
    let (count, isLast) =
      isKept
      ? try Self.keep(limit, of: &incoming.ring, by: &gate, into: &output)
      : (incoming.ring.frames(upTo: limit).byteCount / input.bytesPerFrame, false)
    incoming.release(count)
    counts.take(count, isKept: isKept, isArmed: gate.isArmed)
    return isLast ? .ended(.silence) : .moved
  }

  private static func keep(
    _ count: Int, of frames: inout SampleRing.Reader, by gate: inout TakeGate,
    into output: inout TakeOutput<File, Converter>
  ) throws(TakeFailure) -> (frames: Int, isLast: Bool) {
    let bytes = frames.frames(upTo: count)
    let kept = gate.keep(bytes)
    try output.write(bytes.extracting(..<kept.bytes))
    return (kept.frames, kept.isLast)
  }

  /// Writes silence into a gap.
  private mutating func fill(_ most: Int) throws(TakeFailure) -> Step {
    if isTooLateForSilence {
      counts.dropSilence()
      return .moved
    }
    if isCutDue { return beginFile() }
    let count = min(counts.silenceLeft, FramePath<Converter>.blockSize, most)
    try output.writeSilence(count)
    counts.fill(count)
    return .moved
  }

  /// Whether writing the remaining silence would delay the end of the take too much. The silence
  /// for a night in suspend would take minutes to write.
  private var isTooLateForSilence: Bool {
    state.isStopping.load(ordering: .acquiring)
      && FrameCount(counts.silenceLeft) > FrameCount(.seconds(60), at: input.rate)
  }

  /// Carries out an order.
  private mutating func apply(_ action: Edit.Action) -> Step {
    switch action {
    case .pause: report([counts.beginPause()])
    case .resume: report([counts.resume()])
    case .reopen(let length): report([counts.resume(after: length)])
    case .event(let event): report([counts.append(event)])
    case .begin: begin()
    case .split: return cut()
    case .silence(let tracks, let cause): report(counts.silence(tracks, cause))
    case .limit(let frames): limits.frames = frames
    case .end: return .ended(.ordered)
    }
    return .moved
  }

  /// Starts an armed take. Does nothing if it has already begun.
  private mutating func begin() {
    if gate.isArmed {
      let began = state.timeline.wallTime(of: counts.position)
      counts.trigger(at: began)
      files.begin(began)
    }
    gate.open()
  }

  /// Counts a loss, and changes the silent tracks. If `isFilled` is true, silence will be written
  /// for the loss.
  private mutating func lose(_ gap: GapRecord, isFilled: Bool) {
    if gap.length > 0 { report([counts.lose(gap, filled: isFilled)]) }
    report(counts.miss(gap.silent))
  }

  private mutating func refresh(after age: Duration) throws(TakeFailure) {
    if try output.refresh(after: age) { publish() }
  }
}

extension TakeWriter where File: ~Copyable, Converter: ~Copyable {
  /// Whether the current file has frames, and the previous file has all of its frames.
  private var canCut: Bool { counts.segment.frames.onDisk > 0 && !output.isCutting }

  /// Ends the current file here, unless it is empty. The next file is created only when its first
  /// frame is written. This frame may never come: the take may be paused, its device may be
  /// disconnected, or the take may end.
  ///
  /// For a few milliseconds after a cut, the rate converter still holds frames for the previous
  /// file. A second cut in this time is ignored.
  private mutating func cut() -> Step {
    isCutDue = canCut
    if !isCutDue { schedule.pass() }
    return .moved
  }

  /// Begins the next file with the frame that is about to be written.
  private mutating func beginFile() -> Step {
    isCutDue = false
    let began = state.timeline.wallTime(of: counts.position)
    guard let next = files.next(counts.segment.number + 1, began) else {
      schedule.refuse(counts, state.timeline)
      return .moved
    }
    measure()
    let done = counts.beginSegment(began)
    schedule.pass()
    let boundary = counts.earlier.onDisk.converted(from: input.rate, to: output.file.stream.rate)
    output.cut(at: Int(boundary.value), to: next, closing: done)
    for event in counts.segment.events { output.file.note(event) }
    publish()
    return .moved
  }

  /// Passes the previous file to `files`, once it has all of its frames.
  // This is a separate function, because Swift looks up the types of a function's variables when it
  // enters the function. `step` needs these variables only after a cut.
  @inline(never)
  private mutating func completeFormer(isOver: Bool = false) {
    guard let former = output.takeFormer(isOver: isOver), let file = former.file.take() else {
      return
    }
    files.complete(file, former.segment, nil)
  }

  /// After a failure of the file, counts the remaining delivered frames as lost.
  private mutating func countUnwritten() {
    state.stop()
    let deadline = KernelClock.monotonic.now + .seconds(2)
    counts.fail()
    while true {
      // Read the report before the ring. If there is a report, the ring already has all frames.
      let last = state.report
      while let gap = incoming.takeGap() { lose(gap, isFilled: false) }
      counts.loseUnwritten(incoming.discard(input.bytesPerFrame))
      if let last {
        if let gap = last.gap { lose(gap, isFilled: false) }
        return
      }
      if KernelClock.monotonic.now > deadline { state.finish(.stalled(.seconds(2))) }
      incoming.waitForCapture()
    }
  }

  private func report(_ events: [PositionedEvent?]) {
    let events = events.compactMap(\.self)
    for event in events {
      output.file.note(event)
      monitor?.note(event)
    }
    let marks = counts.earlierMarks + counts.segment.marks
    board.update { progress in
      progress.marks = marks
      progress.events += events
    }
  }

  /// Adds the levels since the last call to the counts. Returns false if nothing was written.
  @discardableResult
  private mutating func measure() -> Bool {
    guard let levels = output.takeLevels() else { return false }
    counts.measure(levels.all, levels.channels)
    board.update { $0.measure(levels.all, levels.channels) }
    monitor?.measured(levels.all, levels.channels)
    return true
  }

  /// Publishes the progress of the take.
  private mutating func publish() {
    let isMeasured = measure()
    if !isMeasured, counts.isPaused { board.update { $0.fallSilent() } }
    // An order to split counts as carried out only once the next file has begun.
    let obeyed = !isKept || isMeasured && !isCutDue ? obeyed : nil
    board.publish(
      counts, bytes: output.file.bytesWritten, waiting: gate.takeLevel(), obeyed: obeyed)
    incoming.report()
  }
}
