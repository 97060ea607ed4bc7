package import Audio
internal import Linux

/// The length and size at which a take ends, and the rule by which it continues in a new file.
package struct TakeLimits: Hashable, Sendable {
  /// Frames of the file, at the device's rate.
  package var frames: FrameCount?
  /// The size of one file in bytes.
  package var bytes: Int64?
  /// The rule for new files; nil where the take has a single file.
  package var split: TakeSplit?
  /// True where a file of the largest size is followed by another.
  package var splitsBySize: Bool { split != nil }

  /// No limit where none is given.
  package init(frames: FrameCount? = nil, bytes: Int64? = nil, split: TakeSplit? = nil) {
    self.frames = frames
    self.bytes = bytes
    self.split = split
  }

  /// Returns the number of the device's frames that still fit, or the end where none does.
  ///
  /// - Parameters:
  ///   - written: the device's frames that the file and the rate converter hold.
  ///   - produced: the file's frames.
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
      // A compressed frame is at most about as large as a plain one.
      let fitting = min(bytes - size, Self.farAway) / Int64(stream.bytesPerFrame)
      let held = written.converted(from: input, to: stream.rate) - FrameCount(produced)
      let left = max(0, fitting - held.value)
      // Rounded down, because one frame of the device may be several of the file.
      room = min(room, left * Int64(input.hertz) / Int64(stream.rate.hertz))
      if room <= 0 { return .end(.size) }
    }
    return .frames(Int(room))
  }

  // Years of any stream, and still far from what 64 bits can multiply by a rate.
  private static let farAway: Int64 = 1 << 43

  enum Room {
    case frames(Int)
    case end(WriteEnd)
  }
}

/// The rule by which a take continues in a new file by itself.
package enum TakeSplit: Hashable, Sendable {
  /// A new file after this many frames, at the device's rate.
  case every(FrameCount)
  /// A new file at each multiple of a duration by the local clock.
  case aligned(Duration)
}

/// The distance to the next cut in frames; the wall clock is read anew each time, since no device
/// keeps its pace for long.
struct SplitSchedule {
  private let split: TakeSplit?
  /// The next cut by the local clock.
  private var boundary: Duration?
  /// True once that is reached.
  private var isDue = false
  /// The frame at which the next cut may be tried, after one for which no file could be made.
  private var refusedUntil: FrameCount = 0

  init(_ split: TakeSplit?) { self.split = split }

  /// Returns true if a cut may be tried here.
  func allows(_ counts: TakeCounts) -> Bool { counts.position >= refusedUntil }

  /// Frames until the cut, 0 where it is now.
  mutating func room(_ counts: TakeCounts, _ timeline: Timeline) -> Int {
    guard let split, allows(counts) else { return .max }
    switch split {
    case .every(let length):
      return max(0, Int((length - counts.segment.frames.onDisk).value))
    case .aligned(let step):
      let local = timeline.wallTime(of: counts.position).local
      if boundary.map({ $0 - local > step * 3 / 2 }) ?? true {
        boundary = Self.multiple(of: step, after: local)
      }
      // To the nearest frame: half a frame on either side covers the difference of two clocks when
      // they are read.
      let left = (boundary ?? local) - local + FrameCount(1).duration(at: timeline.rate) / 2
      let room = Int(FrameCount(left, at: timeline.rate).value)
      isDue = room <= 0
      return max(0, room)
    }
  }

  /// Moves the next boundary after a cut of any kind; one between two boundaries moves none of
  /// them.
  mutating func pass(_ counts: TakeCounts, _ timeline: Timeline) {
    guard isDue, case .aligned(let step) = split, let reached = boundary else { return }
    isDue = false
    let local = timeline.wallTime(of: counts.position).local
    let next = reached + step
    boundary = next > local ? next : Self.multiple(of: step, after: local)
  }

  /// Puts off the next cut by a second, because no file could be made.
  mutating func refuse(_ counts: TakeCounts, _ timeline: Timeline) {
    refusedUntil = counts.position + FrameCount(timeline.rate.hertz)
  }

  private static func multiple(of step: Duration, after local: Duration) -> Duration {
    step * Int(local.attoseconds / step.attoseconds + 1)
  }
}

extension WallTime {
  fileprivate var local: Duration { sinceEpoch + localOffset }
}
