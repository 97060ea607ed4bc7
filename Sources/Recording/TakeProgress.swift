package import Audio
package import Linux
internal import Synchronization

/// The progress of a take, as the writer last reported it.
package struct TakeProgress: Sendable {
  /// The frame counts, at the device's rate.
  package var frames = Accounting()
  /// The losses in all files. Of the losses in closed files, only the latest 200 are included.
  package var gaps: [Gap] = []
  /// The silent ranges of each track in all files. Of the ranges in closed files, only the latest
  /// 200 of each track are included.
  package var trackGaps: [[Gap]] = []
  /// Whether the take is paused.
  package var isPaused = false
  /// Whether the take waits for its start.
  package var isArmed = false
  /// The time of the first frame of an armed take, or nil if the take was not armed or still waits.
  package var triggered: WallTime?
  /// The level of the latest frames written.
  package var level: Level = .silence
  /// The levels of the latest frames written, one for each channel of the file. Empty before the
  /// first frames.
  package var channels: [Level] = []
  /// The highest levels in the take.
  package var highest = HighestLevels()
  /// The size of the current file in bytes, or of the files of all tracks together.
  package var bytes: Int64 = 0
  /// The number of marks in all files.
  package var marks = 0
  /// The number of the current file, counted from 1.
  package var segment = 1
  /// The number of frames in the current file.
  package var segmentFrames: FrameCount = 0
  /// The number of orders whose effect this progress shows. An order such as a resume is included
  /// only once the level of the frames after it is known.
  package var obeyed = 0
  /// The number of frames at the beginning that contain only zeros.
  package var leadingSilence: FrameCount = 0
  /// The events since the last call of `takeEvents`, oldest first.
  package var events: [PositionedEvent] = []

  /// The progress of a take before anything is written.
  package init() {}

  mutating func measure(_ level: Level, _ channels: [Level]) {
    self.level = level
    self.channels = channels
    highest.add(level, channels)
  }
}

extension TakeProgress {
  /// Sets the levels to silence, as in a pause.
  mutating func fallSilent() {
    level = .silence
    channels = channels.map { _ in .silence }
  }
}

/// The writer's progress, for other threads to read.
final class ProgressBoard: Sendable {
  private let progress = Mutex(TakeProgress())

  func update(_ change: (inout TakeProgress) -> Void) { progress.withLock { change(&$0) } }

  /// Publishes the counts.
  ///
  /// - Parameters:
  ///   - bytes: the size of the current file.
  ///   - waiting: the level of a take that waits for its start, or nil if it does not wait.
  ///   - obeyed: the number of orders carried out, or nil to keep the last number.
  func publish(_ counts: TakeCounts, bytes: Int64, waiting: Level?, obeyed: Int?) {
    let (frames, gaps, trackGaps) = (counts.total, counts.gaps, counts.trackGaps)
    progress.withLock { progress in
      progress.frames = frames
      progress.segmentFrames = counts.segment.frames.onDisk
      progress.obeyed = obeyed ?? progress.obeyed
      progress.gaps = gaps
      progress.trackGaps = trackGaps
      progress.bytes = bytes
      progress.segment = counts.segment.number
      progress.isPaused = counts.isPaused
      progress.isArmed = waiting != nil
      progress.triggered = counts.triggered
      if let waiting { progress.level = waiting }
      if progress.highest.peak == 0 { progress.leadingSilence = frames.onDisk }
    }
  }

  /// Returns the progress. The events are not removed.
  func snapshot() -> TakeProgress { progress.withLock { $0 } }

  /// Returns the events since the last call, oldest first.
  func takeEvents() -> [PositionedEvent] {
    progress.withLock { progress in
      defer { progress.events = [] }
      return progress.events
    }
  }
}

/// A listener of a take during recording.
///
/// The writing thread calls it and waits for it, so each call must be short.
package protocol TakeMonitor: AnyObject, Sendable {
  /// Receives frames that were written to the file.
  ///
  /// - Parameter position: the number of the first frame, counted from the beginning of the take
  ///   across all files.
  func take(_ frames: RawSpan, of stream: StreamFormat, at position: Int)

  /// Receives the levels of the frames since the last call, for all channels together and for each.
  func measured(_ level: Level, _ channels: [Level])

  /// Whether a consumer waits for frames or levels. If so, they come in shorter blocks.
  var isListening: Bool { get }

  /// Receives an event. Events come in the order of the take.
  func note(_ event: PositionedEvent)
}
