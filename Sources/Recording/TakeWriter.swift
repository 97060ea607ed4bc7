internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The body of the writing thread: ring → changes → file, with gaps filled, edits obeyed and all of
/// it counted.
///
/// It goes in steps of bounded length, so that orders are obeyed and limits kept however far
/// behind it is.
struct TakeWriter<File: TakeFile & ~Copyable, Converter: RateConverter & ~Copyable>: ~Copyable {
  private enum Step {
    case moved
    case idle
    case ended(WriteEnd)
  }

  private var output: TakeOutput<File, Converter>
  private var frames: SampleRing.Reader
  private var gaps: SampleRing.Reader
  private let state: CaptureState
  private let edits: EditQueue
  private let board: ProgressBoard
  private let input: StreamFormat
  private let limits: TakeLimits
  private let files: TakeFiles<File>
  private let monitor: (any TakeMonitor)?
  private let capture: (any LentCapture)?

  /// Frames of the ring that were taken out, now and as of the last report.
  private var (position, reported) = (0, 0)
  private var counts: TakeCounts
  private var due: [Edit] = []
  /// Orders that were obeyed.
  private var obeyed = 0
  private var gate: TakeGate
  private var schedule: SplitSchedule
  /// True if a file is due to end, but the take is paused: a file begins with its first frame.
  private var isCutDue = false
  private var nextGap: GapRecord?
  private var refreshed = KernelClock.monotonic.now
  private var standstill = Standstill()
  /// The moment after which an ending take writes no more silence into gaps.
  private var silenceDeadline: Duration?

  /// The age from which the header is written anew once all that came is written: shorter than a
  /// rest, so that each piece is readable as soon as it is written.
  static var refreshInterval: Duration { .milliseconds(350) }
  /// The same while there is always more to write.
  private static var longestUnrefreshed: Duration { .milliseconds(700) }
  private static var longestWait: Duration { .milliseconds(100) }
  /// The longest wait while nobody looks on; the capture wakes the writer for each piece.
  private static var longestRest: Duration { .milliseconds(600) }
  /// The time in which an ending take writes silence into gaps: many minutes of it on most disks.
  private static var patienceForSilence: Duration { .seconds(1) }

  init(
    _ file: consuming File, path: consuming FramePath<Converter>, input: StreamFormat,
    frames: consuming SampleRing.Reader, gaps: consuming SampleRing.Reader, state: CaptureState,
    edits: EditQueue, board: ProgressBoard, limits: TakeLimits, voice: VoiceSettings = .init(),
    files: TakeFiles<File>, monitor: (any TakeMonitor)? = nil,
    capture: (any LentCapture)? = nil
  ) {
    counts = TakeCounts(
      from: input.rate, to: file.stream.rate, began: state.timeline.clock.wallTime)
    output = TakeOutput(file, path, from: input, monitor: monitor)
    self.frames = frames
    self.gaps = gaps
    self.state = state
    self.edits = edits
    self.board = board
    self.input = input
    self.limits = limits
    self.files = files
    self.monitor = monitor
    self.capture = capture
    gate = TakeGate(voice, of: input)
    schedule = SplitSchedule(limits.split)
  }

  /// Writes until the end; hands over the last file, whose contents match the counts.
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
        case .moved: try refresh(after: Self.longestUnrefreshed)
        case .idle:
          try refresh(after: Self.refreshInterval)
          wait()
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

  private mutating func wait() {
    publish()
    if let instant = capture?.nextRead { return waitAndRead(at: instant) }
    let isUnattended = state.isUnattended.load(ordering: .relaxed)
    _ = try? state.arrival.descriptor.wait(
      upTo: isUnattended ? Self.longestRest : Self.longestWait)
    state.arrival.clear()
  }

  /// Waits until the device is to be read in the capture thread's place, and does so.
  private func waitAndRead(at instant: Duration) {
    let rest = instant - KernelClock.monotonic.now
    if (try? state.arrival.descriptor.wait(upTo: max(.zero, rest))) == true {
      state.arrival.clear()
    } else {
      capture?.read()
    }
  }

  /// Takes the next step; at one frame a cut comes before an edit, and that before a gap.
  private mutating func step() throws(TakeFailure) -> Step {
    if output.isCutting { completeFormer() }
    // A take that ends at a cut ends in the file that it has: the next one would stay empty.
    if case .end(.duration) = room { return .ended(.duration) }
    if isCutDue { return try step(.max) }
    let untilCut = schedule.room(counts, state.timeline)
    if untilCut == 0 { return cut() }
    switch room {
    case .end(.size) where limits.splitsBySize && schedule.allows(counts): return cut()
    case .end(.size) where limits.splitsBySize: return try step(untilCut)
    case .end(let end): return .ended(end)
    case .frames(let most): return try step(min(most, untilCut))
    }
  }

  private mutating func step(_ most: Int) throws(TakeFailure) -> Step {
    if counts.silenceLeft > 0 { return try fill(most) }
    // Looked at before the fill: what the capture brought before it ended is seen after.
    let last = state.report
    let waiting = position + frames.fill
    let beginning = measure(upTo: waiting)
    let isDoubted = standstill.isDoubted(by: state)
    let available =
      isDoubted ? position : last == nil ? gate.boundary(waiting, after: position) : waiting
    // An order may be ahead of the frames; one at a frame that never comes takes effect at the end.
    due += edits.claim(upTo: last == nil || isDoubted ? available : .max, reported: reported)
    if let beginning { due.schedule(Edit(position: beginning, action: .begin, isOrder: false)) }
    if nextGap == nil { nextGap = gaps.takeRecord() }
    if let edit = due.first, edit.position == position || (last != nil && position == waiting) {
      due.removeFirst()
      obeyed += edit.isOrder ? 1 : 0
      return apply(edit.action)
    }
    if let gap = nextGap, gap.position == position {
      nextGap = nil
      lose(gap, isFollowed: true)
      return .moved
    }
    if position < available {
      let boundary = min(nextGap?.position ?? available, due.first?.position ?? available)
      return try take(min(boundary, available) - position, most)
    }
    guard let last, !isDoubted else { return .idle }
    if let gap = last.gap { lose(gap, isFollowed: false) }
    return .ended(.captureEnded)
  }

  private var isKept: Bool { !counts.isPaused && !gate.isArmed }

  /// Measures the waiting frames; returns the frame at which the take starts, if a sound has begun.
  private mutating func measure(upTo waiting: Int) -> Int? {
    guard gate.isArmed else { return nil }
    // The pauses that the writer comes to later, since it stays behind the measured frames.
    for edit in edits.pauses(in: gate.measured...max(gate.measured, waiting)) {
      let beginning = gate.measure(&frames, from: position, upTo: edit.position)
      if let beginning { return beginning }
      gate.isPaused = edit.isPaused
    }
    return gate.measure(&frames, from: position, upTo: waiting)
  }

  private var room: TakeLimits.Room {
    limits.room(
      after: counts.total.onDisk, from: input.rate, produced: output.produced,
      bytes: output.file.bytesWritten, of: output.file.stream)
  }

  /// Writes frames of the ring, or skips them.
  private mutating func take(_ waiting: Int, _ most: Int) throws(TakeFailure) -> Step {
    let isKept = isKept
    let limit = min(waiting, output.longest, most)
    let (count, isLast) =
      isKept
      ? try Self.keep(limit, of: &frames, by: &gate, into: &output)
      : (frames.frames(upTo: limit).byteCount / input.bytesPerFrame, false)
    frames.release(count)
    position += count
    counts.take(count, isKept: isKept)
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

  /// Writes silence into a gap; a take that is to end does not wait for hours of it.
  private mutating func fill(_ most: Int) throws(TakeFailure) -> Step {
    if isTooLateForSilence {
      counts.dropSilence()
      return .moved
    }
    let count = min(counts.silenceLeft, FramePath<Converter>.blockSize, most)
    try output.writeSilence(count)
    counts.fill(count)
    return .moved
  }

  /// True once a take that is to end has written silence for too long.
  private var isTooLateForSilence: Bool {
    mutating get {
      guard state.isStopping.load(ordering: .acquiring) else { return false }
      let now = KernelClock.monotonic.now
      let deadline = silenceDeadline ?? now + Self.patienceForSilence
      silenceDeadline = deadline
      return now > deadline
    }
  }

  /// Carries out an order.
  private mutating func apply(_ action: Edit.Action) -> Step {
    switch action {
    case .pause: report(counts.pause())
    case .resume: resume()
    case .reopen(let length): resume(after: length)
    case .mark(let text): report(counts.place(.mark(text)))
    case .begin: gate.open()
    case .split: cutHere()
    case .end: return .ended(.ordered)
    }
    return .moved
  }

  private mutating func resume(after length: FrameCount? = nil) {
    report(counts.resume(after: length))
    if isCutDue {
      isCutDue = false
      cutHere()
    }
  }

  /// Continues in a new file.
  private mutating func cut() -> Step {
    cutHere()
    return .moved
  }

  /// Counts a loss; silence takes its place unless nothing follows it or the take is paused.
  private mutating func lose(_ gap: GapRecord, isFollowed: Bool) {
    report(counts.lose(gap, filled: isFollowed && isKept))
  }

  /// Writes the header anew where it is that old.
  private mutating func refresh(after age: Duration) throws(TakeFailure) {
    let now = KernelClock.monotonic.now
    guard now - refreshed >= age else { return }
    refreshed = now
    try output.refresh()
    publish()
  }
}

extension TakeWriter where File: ~Copyable, Converter: ~Copyable {
  /// Continues in a new file from this frame on, unless this one has none yet.
  ///
  /// A cut within reach of the converter's filter, milliseconds after another, is the same cut.
  private mutating func cutHere() {
    guard counts.segment.frames.onDisk > 0, !output.isCutting else {
      schedule.pass(counts, state.timeline)
      return
    }
    guard !counts.isPaused else {
      schedule.pass(counts, state.timeline)
      isCutDue = true
      return
    }
    let began = state.timeline.wallTime(of: counts.position)
    guard let next = files.next(counts.segment.number + 1, began) else {
      schedule.refuse(counts, state.timeline)
      return
    }
    measure()
    let done = counts.beginSegment(began)
    schedule.pass(counts, state.timeline)
    let boundary = counts.earlier.onDisk.converted(from: input.rate, to: output.file.stream.rate)
    output.cut(at: Int(boundary.value), to: next, closing: done)
    for event in counts.segment.events { output.file.note(event) }
    publish()
  }

  /// Hands a file over that has all of its frames.
  // By itself, because the types of its variables are looked up on entry.
  @inline(never)
  private mutating func completeFormer(isOver: Bool = false) {
    guard let former = output.takeFormer(isOver: isOver), let file = former.file.take() else {
      return
    }
    files.complete(file, former.segment, nil)
  }

  /// Counts the frames that were delivered and still come as lost, after a failure of the file.
  private mutating func countUnwritten() {
    state.stop()
    let deadline = KernelClock.monotonic.now + .seconds(2)
    counts.failSilence()
    while true {
      // Looked at before the ring, which has all of it then.
      let last = state.report
      while let gap = nextGap ?? gaps.takeRecord() {
        nextGap = nil
        report(counts.lose(gap, filled: false))
      }
      discardWaiting()
      if let last {
        if let gap = last.gap { report(counts.lose(gap, filled: false)) }
        return
      }
      if KernelClock.monotonic.now > deadline { state.finish(.stalled(.seconds(2))) }
      _ = try? state.arrival.descriptor.wait(upTo: Self.longestWait)
      state.arrival.clear()
    }
  }

  private mutating func discardWaiting() {
    while true {
      let count = frames.frames().byteCount / input.bytesPerFrame
      if count == 0 { return }
      frames.release(count)
      counts.loseUnwritten(count)
    }
  }

  private func report(_ event: PlacedEvent?) {
    guard let event else { return }
    output.file.note(event)
    monitor?.note(event)
    let marks = counts.earlierMarks + counts.segment.marks
    board.update { progress in
      progress.marks = marks
      progress.events.append(event)
    }
  }

  /// Adds the levels since the last call to the counts; false where nothing was written.
  @discardableResult
  private mutating func measure() -> Bool {
    guard let levels = output.takeLevels() else { return false }
    counts.measure(levels.all)
    board.update { $0.measure(levels.all, levels.channels) }
    monitor?.measured(levels.all, levels.channels)
    return true
  }

  /// Publishes the progress of the take.
  private mutating func publish() {
    let isMeasured = measure()
    if !isMeasured, counts.isPaused { board.update { $0.fallSilent() } }
    let obeyed = isMeasured || !isKept ? obeyed : nil
    let (frames, gaps, bytes) = (counts.total, counts.gaps, output.file.bytesWritten)
    let (isPaused, waiting) = (counts.isPaused, gate.takeLevel())
    let (segment, inSegment) = (counts.segment.number, counts.segment.frames.onDisk)
    board.update { progress in
      progress.frames = frames
      progress.segmentFrames = inSegment
      progress.obeyed = obeyed ?? progress.obeyed
      progress.gaps = gaps
      progress.bytes = bytes
      progress.segment = segment
      progress.isPaused = isPaused
      progress.isArmed = waiting != nil
      if let waiting { progress.level = waiting }
      if progress.highestPeak == 0 { progress.leadingSilence = frames.onDisk }
    }
    reported = position
  }
}
