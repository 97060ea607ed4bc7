internal import Audio
internal import Linux

/// The writer's counts of all frames, in the current file and in earlier files.
struct TakeCounts {
  private(set) var segment: TakeSegment
  /// The sum of the counts of all earlier files.
  private(set) var earlier = Accounting()
  private(set) var earlierMarks = 0
  /// The time of the first frame of an armed take, or nil if the take was not armed or still waits.
  private(set) var triggered: WallTime?
  private var earlierGaps: [Gap] = []
  private var earlierTrackGaps: [[Gap]]
  private let tracks: [Track]
  private var silenced = TrackSet()
  /// The tracks whose device is missing or was interrupted.
  private var silent = SilentTracks()
  /// The number of frames of silence that are still to be written into a gap.
  private(set) var silenceLeft = 0
  /// The pause, or nil while the take is not paused: the number of frames before it, and before the
  /// last order to pause. That order may have closed the device.
  private var pause: (began: FrameCount, ordered: FrameCount)?
  private let input: SampleRate
  private let output: SampleRate

  /// The status reports at most this number of gaps in closed files.
  private static var mostEarlierGaps: Int { 200 }

  init(
    from input: SampleRate, to output: SampleRate, began: WallTime, tracks: [Track] = []
  ) {
    self.input = input
    self.output = output
    self.tracks = tracks
    segment = TakeSegment(number: 1, began: began)
    segment.tracks = tracks.map { _ in SilentRanges() }
    earlierTrackGaps = tracks.map { _ in [] }
  }

  /// The counts of all files together.
  var total: Accounting { earlier + segment.frames }
  /// The gaps in all files, with positions from the beginning of the take.
  var gaps: [Gap] { earlierGaps + segment.gaps.map(counted) }
  /// The silent ranges of each track in all files, with positions from the beginning of the take.
  var trackGaps: [[Gap]] {
    zip(earlierTrackGaps, segment.trackGaps).map { $0 + $1.map(counted) }
  }
  /// The tracks that lost their permission.
  var silencedTracks: [Track] { silenced.isEmpty ? [] : tracks[silenced] }
  var isPaused: Bool { pause != nil }
  /// The next frame of the take, counted from the beginning, including lost frames.
  var position: FrameCount { total.elapsed - FrameCount(silenceLeft) }

  /// The number of frames so far, including those of earlier files, at the file's rate.
  var produced: FrameCount { total.onDisk.converted(from: input, to: output) }

  private func counted(_ gap: Gap) -> Gap {
    var gap = gap
    gap.position += earlier.onDisk
    return gap
  }
}

extension TakeCounts {
  /// Begins an armed take, whose first frame was captured at `moment`.
  mutating func trigger(at moment: WallTime) {
    triggered = moment
    segment.began = moment
  }

  mutating func take(_ count: Int, isKept: Bool, isArmed: Bool = false) {
    segment.frames.captured += FrameCount(count)
    if !isKept { segment.frames.discarded += FrameCount(count) }
    if isArmed { segment.frames.early += FrameCount(count) }
  }

  mutating func fill(_ count: Int) {
    segment.frames.filled += FrameCount(count)
    silenceLeft -= count
  }

  /// Cancels the silence that is still to be written into a gap. This part of the gap is not
  /// filled.
  mutating func dropSilence() {
    if let rest = segment.takeUnfilled(FrameCount(silenceLeft)) {
      segment.frames.lost += rest.length
      _ = append(.gap(rest, isFilled: false))
    }
    silenceLeft = 0
  }

  /// Records that a write failed. If it was a write of silence into a gap, the remaining silence is
  /// not written either.
  mutating func fail() {
    segment.failure = segment.events.endIndex
    silenceLeft = 0
  }

  mutating func measure(_ level: Level, _ channels: [Level]) {
    segment.highest.add(level, channels)
  }

  /// Counts a loss. If `filled` is true, silence will be written for it.
  mutating func lose(_ record: GapRecord, filled: Bool) -> PositionedEvent {
    let gap = Gap(
      position: segment.frames.onDisk, length: FrameCount(record.length), cause: record.cause)
    let event = append(.gap(gap, isFilled: filled))
    segment.frames.lost += gap.length
    if filled { silenceLeft = record.length }
    return event
  }

  /// Sets the tracks that are silent from now on, because their device is missing or was
  /// interrupted. Returns the changes.
  mutating func miss(_ tracks: SilentTracks) -> [PositionedEvent] {
    let former = silent
    silent = tracks
    return self.tracks.indices.compactMap { index in
      let cause = tracks.cause(of: index)
      let isChanged = cause != former.cause(of: index) && !silenced.contains(index)
      return isChanged ? change(index, to: cause) : nil
    }
  }

  /// Silences tracks permanently from here on. Returns the changes.
  mutating func silence(_ tracks: TrackSet, _ cause: Gap.Cause) -> [PositionedEvent] {
    let new = tracks.subtracting(silenced)
    silenced.formUnion(tracks)
    return self.tracks.indices.filter { new.contains($0) }.map { change($0, to: cause) }
  }

  private mutating func change(_ track: Int, to cause: Gap.Cause?) -> PositionedEvent {
    // The change comes after the silence that is still to be written into a gap.
    segment.tracks[track].change(to: cause, at: segment.frames.onDisk + FrameCount(silenceLeft))
    return append(.track(tracks[track].name, silent: cause))
  }

  /// Counts frames that arrived after a write had failed. In a pause they count as discarded,
  /// otherwise as lost.
  mutating func loseUnwritten(_ count: Int) {
    if isPaused {
      take(count, isKept: false)
    } else {
      segment.loseUnwritten(FrameCount(count), at: frame)
    }
  }

  /// Begins a pause. Returns nil if the take is already paused.
  mutating func beginPause() -> PositionedEvent? {
    let began = pause?.began
    pause = (began ?? total.elapsed, total.elapsed)
    return began == nil ? append(.paused) : nil
  }

  /// Ends a pause.
  ///
  /// - Parameter closed: the time since the last order to pause if the device was closed and counted
  ///   no frames, or nil otherwise.
  mutating func resume(after closed: FrameCount? = nil) -> PositionedEvent? {
    guard let pause = pause.take() else { return nil }
    let end = closed.map { pause.ordered + $0 } ?? total.elapsed
    return append(.resumed(after: end - pause.began))
  }

  /// The current position in the file. The file can have another rate than the device.
  private var frame: FrameCount { produced - earlier.onDisk.converted(from: input, to: output) }

  /// Records an event at the current position in the file, and returns it.
  mutating func append(_ event: TakeEvent) -> PositionedEvent {
    let positioned = PositionedEvent(at: frame, event)
    segment.events.append(positioned)
    return positioned
  }

  /// Starts the counts of the next file, and returns the counts of the previous file.
  mutating func beginSegment(_ began: WallTime) -> TakeSegment {
    var done = segment
    segment = TakeSegment(number: done.number + 1, began: began)
    done.split(by: FrameCount(silenceLeft), into: &segment)
    segment.tracks = done.tracks.map(\.continued)
    for (track, silent) in zip(tracks, segment.tracks) where silent.cause != nil {
      segment.events.append(PositionedEvent(at: 0, .track(track.name, silent: silent.cause)))
    }
    earlierGaps = Array((earlierGaps + done.gaps.map(counted)).suffix(Self.mostEarlierGaps))
    earlierTrackGaps = zip(earlierTrackGaps, done.trackGaps).map { earlier, gaps in
      Array((earlier + gaps.map(counted)).suffix(Self.mostEarlierGaps))
    }
    earlierMarks += done.marks
    earlier = earlier + done.frames
    return done
  }
}
