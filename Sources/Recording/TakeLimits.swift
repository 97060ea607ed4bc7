package import Audio
internal import Linux

/// The length and size that end a take, and the rule for new files.
package struct TakeLimits: Hashable, Sendable {
  /// The maximum number of frames, at the device's rate, or nil for no limit.
  package var frames: FrameCount?
  /// The maximum size of one file in bytes, or nil for no limit. The files of all tracks count as
  /// one.
  package var bytes: Int64?
  /// The rule for new files, or nil if the take has a single file.
  package var split: TakeSplit?
  /// Whether a new file begins when a file has reached the maximum size.
  package var splitsBySize: Bool { split != nil }

  /// Limits of a take. By default, there are no limits.
  package init(frames: FrameCount? = nil, bytes: Int64? = nil, split: TakeSplit? = nil) {
    self.frames = frames
    self.bytes = bytes
    self.split = split
  }

  /// Returns the number of the device's frames that still fit, or the reason for the end if no
  /// frame fits.
  ///
  /// - Parameters:
  ///   - written: the number of the device's frames in the file and in the rate converter.
  ///   - produced: the number of frames written, at the file's rate.
  func room(
    after written: FrameCount, from input: SampleRate, produced: Int, bytes size: Int64,
    of stream: StreamFormat
  ) -> Room {
    var room = Int64(Int32.max)
    if let frames {
      room = min(room, (frames - written).value)
      if room <= 0 { return .end(.duration) }
    }
    if let bytes {
      // A compressed frame is at most about as large as an uncompressed one.
      let fitting = min(bytes - size, Self.farAway) / Int64(stream.bytesPerFrame)
      let held = written.converted(from: input, to: stream.rate) - FrameCount(produced)
      let left = max(0, fitting - held.value)
      // Rounded down, because one frame of the device may be several frames of the file.
      room = min(room, left * Int64(input.hertz) / Int64(stream.rate.hertz))
      if room <= 0 { return .end(.size) }
    }
    return .frames(Int(room))
  }

  // A limit for the remaining size in bytes, so that the product with a rate fits into 64 bits.
  private static let farAway: Int64 = 1 << 43

  enum Room {
    case frames(Int)
    case end(WriteEnd)
  }
}

/// The rule by which a take automatically continues in a new file.
package enum TakeSplit: Hashable, Sendable {
  /// A new file after this many frames, at the device's rate.
  case every(FrameCount)
  /// A new file at each multiple of a duration on the local clock.
  case aligned(Duration)
}

/// The schedule of cuts. A cut ends a file and starts the next. The number of frames to the next
/// cut is calculated again before each step, because the pace of a device relative to the wall
/// clock changes over time.
struct SplitSchedule {
  private let split: TakeSplit?
  /// The time of the next cut, since 1970 in UTC.
  private var next: Duration?
  /// Whether the time of the next cut has been reached.
  private var isDue = false
  /// The time of the last cut at a multiple of the duration, since 1970 in UTC.
  private var last: Duration?
  /// The frame at which the next cut may be tried, after a file could not be created.
  private var refusedUntil: FrameCount = 0

  init(_ split: TakeSplit?) { self.split = split }

  /// Returns whether a cut may be tried at the current position.
  func allows(_ counts: TakeCounts) -> Bool { counts.position >= refusedUntil }

  /// Returns the number of frames until the next cut, or 0 if the cut is now.
  mutating func room(_ counts: TakeCounts, _ timeline: Timeline) -> Int {
    guard let split, allows(counts) else { return .max }
    switch split {
    case .every(let length):
      return max(0, Int((length - counts.segment.frames.onDisk).value))
    case .aligned(let step):
      let now = timeline.wallTime(of: counts.position).sinceEpoch
      // The tolerance is half a frame, because times are rounded to the nearest frame.
      let half = FrameCount(1).duration(at: timeline.rate) / 2
      // Keep a boundary that has been reached, so that the cut is made even if the local clock is
      // set back now. Otherwise calculate the boundary again.
      if next.map({ $0 - now > half }) ?? true { next = boundary(of: step, after: now) }
      let left = (next ?? now) - now + half
      let room = Int(FrameCount(left, at: timeline.rate).value)
      isDue = room <= 0
      return max(0, room)
    }
  }

  /// Records that a cut was made. If the cut was at a boundary, the next boundary is calculated. A
  /// cut between two boundaries does not change them.
  mutating func pass() {
    guard isDue else { return }
    (last, next, isDue) = (next, nil, false)
  }

  /// Delays the next cut by a second, because a file could not be created.
  mutating func refuse(_ counts: TakeCounts, _ timeline: Timeline) {
    refusedUntil = counts.position + FrameCount(timeline.rate.hertz)
  }

  /// Returns the first multiple of a duration on the local clock that is after `now` and after the
  /// last cut.
  private mutating func boundary(of step: Duration, after now: Duration) -> Duration {
    // The measured time of a frame after a cut may be slightly before the cut. If it is far before
    // the cut, the clock was set back, and the last cut is ignored.
    if last.map({ $0 - now > step / 2 }) ?? false { last = nil }
    let start = max(now, last ?? now)
    let local = start + WallTime(sinceEpoch: start).localOffset
    return start + step - Duration(attoseconds: local.attoseconds % step.attoseconds)
  }
}
