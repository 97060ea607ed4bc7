internal import Audio
internal import Linux
internal import RealTime

/// The body of the writing thread: ring → changes → file, with gaps filled, edits obeyed and all of it counted.
///
/// It goes in steps of at most a block, so that the header and the progress stay fresh however far behind it is.
struct TakeWriter<File: TakeFile & ~Copyable, Converter: RateConverter & ~Copyable>: ~Copyable {
  private enum Step {
    case moved
    case idle
    case ended(WriteEnd)
  }

  private var output: TakeOutput<File, Converter>
  private var frames: SampleRing.Reader
  private var gaps: SampleRing.Reader
  private let link: CaptureLink
  private let edits: EditQueue
  private let board: ProgressBoard
  private let input: StreamFormat
  private let limits: TakeLimits

  /// Frames of the ring that were taken out.
  private var position = 0
  private var counts = Accounting()
  private var gapsFound: [Gap] = []
  private var pausedAt: FrameCount?
  private var due: [Edit] = []
  private var gate: TakeGate
  private var nextGap: GapRecord?
  /// Frames of silence that a gap still has to be filled with.
  private var silenceLeft = 0
  private var refreshed = KernelClock.monotonic.now

  /// How old the header may become.
  private static var refreshInterval: Duration { .milliseconds(500) }
  private static var longestWait: Duration { .milliseconds(100) }

  init(
    _ file: consuming File, path: consuming FramePath<Converter>, input: StreamFormat,
    frames: consuming SampleRing.Reader, gaps: consuming SampleRing.Reader, link: CaptureLink,
    edits: EditQueue, board: ProgressBoard, limits: TakeLimits, voice: VoiceSettings = .init()
  ) {
    output = TakeOutput(file, path, from: input)
    self.frames = frames
    self.gaps = gaps
    self.link = link
    self.edits = edits
    self.board = board
    self.input = input
    self.limits = limits
    gate = TakeGate(voice, of: input)
  }

  /// Writes until the end, and hands over the file, which holds what is counted.
  consuming func run(_ finish: (consuming File, WriteEnd) -> Void) {
    let end = write()
    output.finish { finish($0, end) }
  }

  private mutating func write() -> WriteEnd {
    do throws(TakeFailure) {
      while true {
        switch try step() {
        case .moved: try refreshWhenDue()
        case .idle: try wait()
        case .ended(let end):
          try output.drain()
          try refresh()
          return end
        }
      }
    } catch {
      publish()
      return .failed("\(error)")
    }
  }

  private mutating func wait() throws(TakeFailure) {
    publish()
    _ = try? link.arrival.descriptor.wait(upTo: Self.longestWait)
    link.arrival.clear()
    try refreshWhenDue()
  }

  /// Does the next thing; edits at a frame come before a gap there.
  private mutating func step() throws(TakeFailure) -> Step {
    let room = room
    guard case .frames(let most) = room else {
      if case .end(let end) = room { return .ended(end) }
      return .idle
    }
    if silenceLeft > 0 { return try fill(most) }
    // Looked at before the fill: what the capture brought before it ended is seen after.
    let last = link.lastWord
    let waiting = position + frames.fill
    let beginning = listen(upTo: waiting)
    let available = last == nil ? gate.boundary(waiting, after: position) : waiting
    due += edits.claim(upTo: available)
    if let beginning { schedule(Edit(position: beginning, action: .begin)) }
    if nextGap == nil { nextGap = gaps.takeRecord() }
    if let edit = due.first, edit.position == position {
      due.removeFirst()
      return apply(edit.action) ? .ended(.ordered) : .moved
    }
    if let gap = nextGap, gap.position == position {
      nextGap = nil
      apply(gap, isFollowed: true)
      return .moved
    }
    if position < available {
      let boundary = min(nextGap?.position ?? available, due.first?.position ?? available)
      return try take(min(boundary, available) - position, most)
    }
    guard let last else { return .idle }
    if let gap = last.gap { apply(gap, isFollowed: false) }
    return .ended(.captureEnded)
  }

  private var isKept: Bool { pausedAt == nil && !gate.isArmed }

  /// Listens to what waits; returns where the take begins, if a sound has begun.
  private mutating func listen(upTo waiting: Int) -> Int? {
    guard gate.isArmed else { return nil }
    // The pauses that the writer comes to later, since it stays behind what is listened to.
    for edit in edits.pauses(in: gate.heard...waiting) {
      let beginning = gate.listen(to: &frames, from: position, upTo: edit.position)
      if let beginning { return beginning }
      gate.isDeaf = edit.isPaused
    }
    return gate.listen(to: &frames, from: position, upTo: waiting)
  }

  private mutating func schedule(_ edit: Edit) {
    due.insert(edit, at: due.firstIndex { $0.position > edit.position } ?? due.endIndex)
  }

  private var room: TakeLimits.Room {
    limits.room(
      after: counts.onDisk, from: input.rate, produced: output.produced,
      bytes: output.file.bytesWritten, of: output.file.stream)
  }

  /// Writes frames of the ring, or leaves them out.
  private mutating func take(_ waiting: Int, _ most: Int) throws(TakeFailure) -> Step {
    let isKept = isKept
    let limit = min(waiting, FramePath<Converter>.blockSize, isKept ? most : .max)
    let (count, isLast) =
      isKept
      ? try Self.keep(limit, of: &frames, by: &gate, into: &output)
      : (frames.frames(upTo: limit).byteCount / input.bytesPerFrame, false)
    frames.release(count)
    position += count
    counts.captured += FrameCount(count)
    if !isKept { counts.discarded += FrameCount(count) }
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

  private mutating func fill(_ most: Int) throws(TakeFailure) -> Step {
    let count = min(silenceLeft, FramePath<Converter>.blockSize, most)
    try output.writeSilence(count)
    counts.filled += FrameCount(count)
    silenceLeft -= count
    return .moved
  }
}

extension TakeWriter where File: ~Copyable, Converter: ~Copyable {
  /// Counts what was lost; silence takes its place unless nothing follows it or the take is paused.
  private mutating func apply(_ gap: GapRecord, isFollowed: Bool) {
    let length = FrameCount(gap.length)
    let found = Gap(position: counts.onDisk, length: length, cause: Gap.Cause.numbered[gap.cause])
    gapsFound.append(found)
    tell(.gap(found))
    counts.lost += length
    if isFollowed && isKept { silenceLeft = gap.length }
  }

  /// Obeys an order; true where it ends the take.
  private mutating func apply(_ action: Edit.Action) -> Bool {
    switch action {
    case .pause:
      if pausedAt == nil {
        pausedAt = counts.elapsed
        tell(.paused)
      }
    case .resume:
      if let began = pausedAt {
        pausedAt = nil
        tell(.resumed(after: counts.elapsed - began))
      }
    case .mark(let text):
      tell(.mark(text))
    case .begin:
      gate.open()
    case .end:
      return true
    }
    return false
  }

  private mutating func refreshWhenDue() throws(TakeFailure) {
    if KernelClock.monotonic.now - refreshed >= Self.refreshInterval { try refresh() }
  }

  private mutating func refresh() throws(TakeFailure) {
    refreshed = KernelClock.monotonic.now
    try output.refresh()
    publish()
  }

  /// Says how far the take is.
  private mutating func publish() {
    let level = output.takeLevel() ?? (pausedAt == nil ? nil : .silence)
    let (counts, gaps, bytes) = (counts, gapsFound, output.file.bytesWritten)
    let isPaused = pausedAt != nil
    let heard = gate.takeLevel()
    board.update { progress in
      progress.frames = counts
      progress.gaps = gaps
      progress.bytes = bytes
      progress.isPaused = isPaused
      progress.isArmed = heard != nil
      if let level { progress.measure(level) }
      if let heard { progress.level = heard }
      if progress.highestPeak == 0 { progress.leadingSilence = counts.onDisk }
    }
  }

  // The events lie in the file, whose rate may be another than the device's.
  private func tell(_ event: TakeEvent) {
    let frame = counts.onDisk.converted(from: input.rate, to: output.file.stream.rate)
    board.update { progress in
      if case .mark = event { progress.marks += 1 }
      progress.events.append(PlacedEvent(at: frame, event))
    }
  }
}
