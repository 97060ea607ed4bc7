package import Audio
package import Linux

/// The contents of one file of a take.
package struct TakeSegment: Hashable, Sendable {
  /// The number of the file in the take, counted from 1.
  package let number: Int
  /// The time of its first frame. In the first file of an armed take, the time of the start until
  /// the take is triggered.
  package internal(set) var began: WallTime
  /// The counts of its frames, at the device's rate.
  package var frames = Accounting()
  /// The silent ranges of each track so far.
  var tracks: [SilentRanges] = []
  /// The events in this file, in order.
  package var events: [PositionedEvent] = []
  /// The highest levels in this file.
  package var highest = HighestLevels()
  /// The number of events before a write failed, or nil if no write failed. All later events are at
  /// the end of the file.
  var failure: Int?

  /// The losses in this file, at the device's rate.
  package var gaps: [Gap] { events.compactMap(\.gap) }

  /// The number of marks in this file.
  package var marks: Int { events.count { if case .mark = $0.event { true } else { false } } }

  /// The silent ranges of each track in this file, at the device's rate.
  package var trackGaps: [[Gap]] { tracks.map { $0.ranges(upTo: frames.onDisk) } }

  /// Moves a part of the last gap into the next file: the part that is not yet filled with silence.
  /// This may be the whole gap.
  mutating func split(by silence: FrameCount, into next: inout TakeSegment) {
    guard var rest = takeUnfilled(silence) else { return }
    rest.position = 0
    next.frames.lost = silence
    next.events = [PositionedEvent(at: 0, .gap(rest, isFilled: true))]
  }

  /// Removes the last `silence` frames from the last gap, and returns them as a gap at the end of
  /// the file. No silence was written for these frames.
  mutating func takeUnfilled(_ silence: FrameCount) -> Gap? {
    guard silence > 0, let index = events.lastIndex(where: { $0.gap != nil }),
      var gap = events[index].gap
    else { return nil }
    frames.lost -= silence
    gap.length -= silence
    events[index].event = .gap(gap, isFilled: true)
    if gap.length == 0 { events.remove(at: index) }
    return Gap(position: frames.onDisk, length: silence, cause: gap.cause)
  }
}

extension TakeSegment {
  /// The index of the gap for the frames that could not be written, or nil if there is none.
  private var unwritten: Int? {
    failure.flatMap { failure in events[failure...].firstIndex { $0.gap?.cause == .disk } }
  }

  /// Counts as lost the delivered frames that are not in the file. A negative count corrects an
  /// earlier call: these frames are in the file after all.
  ///
  /// - Parameter end: the number of frames in the file, at the file's rate.
  mutating func loseUnwritten(_ count: FrameCount, at end: FrameCount) {
    frames.lost += count
    if let index = unwritten, var gap = events[index].gap {
      gap.length += count
      events[index].event = .gap(gap, isFilled: false)
      if gap.length == 0 { events.remove(at: index) }
    } else if count > 0 {
      failure = failure ?? events.endIndex
      let gap = Gap(position: frames.onDisk, length: count, cause: .disk)
      events.append(PositionedEvent(at: end, .gap(gap, isFilled: false)))
    }
  }

  /// After a failed write, adapts the counts and the events to the frames that the file contains.
  /// The file may contain a part of the failed write.
  ///
  /// - Parameter held: the number of frames in the file, at the file's rate.
  package mutating func recount(
    holding held: FrameCount, at file: SampleRate, of device: SampleRate
  ) {
    let end = held.converted(from: file, to: device)
    let filled = events.reduce(FrameCount(0)) { $0 + $1.silence(upTo: end) }
    let found = unwritten.flatMap { events[$0].gap?.length } ?? 0
    let captured = min(end + frames.discarded - filled, frames.captured + found)
    loseUnwritten(frames.captured - captured, at: held)
    (frames.captured, frames.filled) = (captured, filled)
    for index in events.indices {
      let isAfter = index >= failure ?? events.endIndex
      events[index].frame = isAfter ? held : min(events[index].frame, held)
      if case .gap(var gap, let isFilled) = events[index].event {
        gap.position = isAfter ? frames.onDisk : min(gap.position, frames.onDisk)
        events[index].event = .gap(gap, isFilled: isFilled)
      }
    }
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
  /// Frames were lost. If the gap is filled, the file has silence for them.
  case gap(Gap, isFilled: Bool)
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

  /// The gap, or nil for any other event.
  var gap: Gap? { if case .gap(let gap, _) = event { gap } else { nil } }

  /// Returns the number of silent frames for this event in a file of `end` frames, or 0 if the
  /// event is not a filled gap. Both numbers are at the device's rate.
  fileprivate func silence(upTo end: FrameCount) -> FrameCount {
    if case .gap(let gap, isFilled: true) = event { gap.silence(upTo: end) } else { 0 }
  }
}
