package import Audio
package import Linux

/// The contents of one file of a take.
package struct TakeSegment: Hashable, Sendable {
  /// The number of the file in the take, counted from 1.
  package let number: Int
  /// The time of its first frame.
  package let began: WallTime
  /// The counts of its frames, at the device's rate.
  package var frames = Accounting()
  /// The losses in this file, at the device's rate.
  package var gaps: [Gap] = []
  /// The silent ranges of each track so far.
  var tracks: [SilentRanges] = []
  /// The events in this file, in order.
  package var events: [PositionedEvent] = []
  /// The highest levels in this file.
  package var highest = HighestLevels()
  /// The number of frames of its last gap that were not yet filled with silence when a write
  /// failed.
  package var unfilled: FrameCount = 0

  /// The number of marks in this file.
  package var marks: Int { events.count { if case .mark = $0.event { true } else { false } } }

  /// The silent ranges of each track in this file, at the device's rate.
  package var trackGaps: [[Gap]] { tracks.map { $0.ranges(upTo: frames.onDisk) } }

  /// Moves the part of the last gap that is not yet filled with silence into the next file. This
  /// may be the whole gap.
  mutating func split(by silence: FrameCount, into next: inout TakeSegment) {
    guard silence > 0, var gap = gaps.popLast() else { return }
    let index = events.lastIndex { $0.event == .gap(gap) }
    frames.lost -= silence
    gap.length -= silence
    if gap.length > 0 {
      gaps.append(gap)
      if let index { events[index].event = .gap(gap) }
    } else if let index {
      events.remove(at: index)
    }
    let rest = Gap(position: 0, length: silence, cause: gap.cause)
    next.frames.lost = silence
    next.gaps = [rest]
    next.events = [PositionedEvent(at: 0, .gap(rest))]
  }
}

extension TakeSegment {
  /// Counts frames that were delivered but could not be written any more.
  mutating func loseUnwritten(_ count: FrameCount) {
    guard count > 0 else { return }
    frames.lost += count
    if let last = gaps.last, last.cause == .disk, last.position == frames.onDisk {
      gaps[gaps.count - 1].length += count
    } else {
      gaps.append(Gap(position: frames.onDisk, length: count, cause: .disk))
    }
  }

  /// Corrects the counts to the number of frames that the file actually contains after a failed
  /// write.
  ///
  /// - Parameter held: the number of frames, at the device's rate.
  package mutating func recount(holding held: FrameCount) {
    let missing = frames.onDisk - held
    if missing > 0 { forget(missing, after: held) }
    if missing < 0 { findAgain(FrameCount(-missing.value)) }
  }

  /// Counts frames as lost if they were passed to the file but are not in it.
  private mutating func forget(_ missing: FrameCount, after held: FrameCount) {
    // A gap that the disk caused is not filled.
    let silence = gaps.filter { $0.cause != .disk }.reduce(FrameCount(0)) { sum, gap in
      sum + max(0, gap.position + gap.length - max(gap.position, held))
    }
    let unfilled = min(silence, min(frames.filled, missing))
    frames.filled -= unfilled
    frames.captured -= missing - unfilled
    for index in gaps.indices { gaps[index].position = min(gaps[index].position, held) }
    loseUnwritten(missing - unfilled)
  }

  /// Corrects the counts if the failed write has written a part of its frames or of its silence.
  private mutating func findAgain(_ extra: FrameCount) {
    let silence = min(extra, unfilled)
    frames.filled += silence
    guard let last = gaps.indices.last, gaps[last].cause == .disk else { return }
    let found = min(extra - silence, gaps[last].length)
    frames.captured += found
    frames.lost -= found
    gaps[last].length -= found
    gaps[last].position += silence + found
    if gaps[last].length == 0 { gaps.removeLast() }
  }
}

/// The highest levels of frames that were written.
package struct HighestLevels: Hashable, Sendable {
  /// The largest peak. 1 is full scale.
  package var peak = 0.0
  /// The largest peak of each channel of the file, or empty before the first frames.
  package var channelPeaks: [Double] = []
  /// The number of samples at full scale.
  package var clipped = 0

  /// Adds the levels of the next frames, of all channels together and of each.
  mutating func add(_ level: Level, _ channels: [Level]) {
    peak = max(peak, level.peak)
    clipped += level.clipped
    if channelPeaks.isEmpty { channelPeaks = channels.map(\.peak) }
    for index in channelPeaks.indices where channels[index].peak > channelPeaks[index] {
      channelPeaks[index] = channels[index].peak
    }
  }
}

/// An event at a frame of the file.
package enum TakeEvent: Hashable, Sendable {
  case mark(String)
  case paused
  /// The recording was resumed after this number of skipped frames.
  case resumed(after: FrameCount)
  case gap(Gap)
  /// From this frame on, a track is silent for this cause, or records again if the cause is nil.
  /// The name is nil in a take with a single device.
  case track(String?, silent: Gap.Cause?)
  /// From about this frame on, a track has another device. `from` and `to` are the titles of the
  /// devices.
  case device(ofTrack: String?, from: String, to: String)
}

/// An event and its position.
package struct PositionedEvent: Hashable, Sendable {
  /// The frame in the file, at the file's rate.
  package var frame: FrameCount
  /// The event itself.
  package var event: TakeEvent

  /// An event at a frame of the file.
  package init(at frame: FrameCount, _ event: TakeEvent) {
    self.frame = frame
    self.event = event
  }
}
