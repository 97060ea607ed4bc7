internal import Audio
internal import Linux

/// The counts of the writer: the fate of each frame, in this file and in those before it.
struct TakeCounts {
  private(set) var segment: TakeSegment
  /// The sum over the files before this one.
  private(set) var earlier = Accounting()
  private(set) var earlierMarks = 0
  private var earlierGaps: [Gap] = []
  /// Frames of silence that a gap still has to be filled with.
  private(set) var silenceLeft = 0
  private var pausedAt: FrameCount?
  private let input: SampleRate
  private let output: SampleRate

  /// The number of gaps of closed files that the status reports.
  private static var mostEarlierGaps: Int { 200 }

  init(from input: SampleRate, to output: SampleRate, began: WallTime) {
    self.input = input
    self.output = output
    segment = TakeSegment(number: 1, began: began)
  }

  /// The counts of all files together.
  var total: Accounting { earlier + segment.frames }
  /// The gaps of all files together, counted from the beginning of the take.
  var gaps: [Gap] { earlierGaps + segment.gaps.map(counted) }
  var isPaused: Bool { pausedAt != nil }
  /// The next frame of the file, counted from the beginning, delivered or lost.
  var position: FrameCount { total.elapsed - FrameCount(silenceLeft) }

  /// The file's frames until now, those of earlier files included, at the file's rate.
  var produced: FrameCount { total.onDisk.converted(from: input, to: output) }

  private func counted(_ gap: Gap) -> Gap {
    var gap = gap
    gap.position += earlier.onDisk
    return gap
  }
}

extension TakeCounts {
  mutating func take(_ count: Int, isKept: Bool) {
    segment.frames.captured += FrameCount(count)
    if !isKept { segment.frames.discarded += FrameCount(count) }
  }

  mutating func fill(_ count: Int) {
    segment.frames.filled += FrameCount(count)
    silenceLeft -= count
  }

  /// Drops the rest of the silence that a gap was to be filled with.
  mutating func dropSilence() { silenceLeft = 0 }

  /// Drops it because the file failed, while the silence was written if any is left.
  mutating func failSilence() {
    segment.unfilled = FrameCount(silenceLeft)
    dropSilence()
  }

  mutating func measure(_ level: Level) { segment.measure(level) }

  /// Counts a loss; silence takes its place where it is `filled`.
  mutating func lose(_ record: GapRecord, filled: Bool) -> PlacedEvent {
    let gap = Gap(
      position: segment.frames.onDisk, length: FrameCount(record.length),
      cause: Gap.Cause.numbered[record.cause])
    segment.gaps.append(gap)
    let event = place(.gap(gap))
    segment.frames.lost += gap.length
    if filled { silenceLeft = record.length }
    return event
  }

  /// Counts frames that came after the file had failed; in a pause they are discarded, not lost.
  mutating func loseUnwritten(_ count: Int) {
    if isPaused {
      take(count, isKept: false)
    } else {
      segment.loseUnwritten(FrameCount(count))
    }
  }

  mutating func pause() -> PlacedEvent? {
    guard pausedAt == nil else { return nil }
    pausedAt = total.elapsed
    return place(.paused)
  }

  /// Ends a pause.
  ///
  /// - Parameter length: its length, where the device was closed and counted nothing.
  mutating func resume(after length: FrameCount? = nil) -> PlacedEvent? {
    guard let began = pausedAt else { return nil }
    pausedAt = nil
    return place(.resumed(after: length ?? total.elapsed - began))
  }

  /// Returns the place of an event in the file, whose rate may be another than the device's.
  mutating func place(_ event: TakeEvent) -> PlacedEvent {
    let frame = produced - earlier.onDisk.converted(from: input, to: output)
    let placed = PlacedEvent(at: frame, event)
    segment.events.append(placed)
    return placed
  }

  /// Starts the counts of the next file, and returns those of the one before.
  mutating func beginSegment(_ began: WallTime) -> TakeSegment {
    var done = segment
    segment = TakeSegment(number: done.number + 1, began: began)
    done.split(by: FrameCount(silenceLeft), into: &segment)
    earlierGaps = Array((earlierGaps + done.gaps.map(counted)).suffix(Self.mostEarlierGaps))
    earlierMarks += done.marks
    earlier = earlier + done.frames
    return done
  }
}
