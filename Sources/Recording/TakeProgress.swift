package import Audio
internal import Synchronization

/// The progress of a take, as its writer last reported it.
package struct TakeProgress: Sendable {
  /// All six counts, at the device's rate.
  package var frames = Accounting()
  /// The losses in all files; of those in closed files, the latest 200.
  package var gaps: [Gap] = []
  /// True while the take is paused.
  package var isPaused = false
  /// True while the take waits for its start.
  package var isArmed = false
  /// The level of the latest frames written.
  package var level: Level = .silence
  /// The level of each channel of the file in those frames; empty before the first.
  package var channels: [Level] = []
  /// The largest peak of the take, 1 being full scale.
  package var highestPeak = 0.0
  /// Samples at full scale in the take.
  package var clipped = 0
  /// The size of the current file in bytes.
  package var bytes: Int64 = 0
  /// Marks in all files.
  package var marks = 0
  /// The number of the file that is written, from 1 on.
  package var segment = 1
  /// The frames of that file on the disk.
  package var segmentFrames: FrameCount = 0
  /// The number of orders that the writer has obeyed and that this progress shows. An order that keeps
  /// frames is shown once the level of such frames is known.
  package var obeyed = 0
  /// Frames from the beginning that were nothing but zeros.
  package var leadingSilence: FrameCount = 0
  /// The events that have not been taken yet, in order.
  package var events: [PlacedEvent] = []

  /// The progress of a take with nothing written.
  package init() {}

  mutating func measure(_ level: Level, _ channels: [Level]) {
    self.level = level
    self.channels = channels
    highestPeak = max(highestPeak, level.peak)
    clipped += level.clipped
  }
}

extension TakeProgress {
  /// Shows silence, as in a pause.
  mutating func fallSilent() {
    level = .silence
    channels = channels.map { _ in .silence }
  }
}

/// The writer's progress, for other threads to read.
final class ProgressBoard: Sendable {
  private let progress = Mutex(TakeProgress())

  func update(_ change: (inout TakeProgress) -> Void) { progress.withLock { change(&$0) } }

  /// Returns the progress; the events in it stay.
  func look() -> TakeProgress { progress.withLock { $0 } }

  /// Returns the events since the last call, in order.
  func takeEvents() -> [PlacedEvent] {
    progress.withLock { progress in
      defer { progress.events = [] }
      return progress.events
    }
  }
}

/// A listener of a take while it is recorded.
///
/// The writing thread calls it, and waits for it: none of these calls may take long.
package protocol TakeMonitor: AnyObject, Sendable {
  /// Takes frames that the file was given.
  ///
  /// - Parameter position: the number of the first one, counted from the beginning of the take
  ///   through all of its files.
  func take(_ frames: RawSpan, of stream: StreamFormat, at position: Int)

  /// Takes the levels of the frames since the last call: of all channels together, and of each.
  func measured(_ level: Level, _ channels: [Level])

  /// True while somebody waits for frames or levels, so that they have to come soon.
  var isListening: Bool { get }

  /// Takes an event, in the order of the take.
  func note(_ event: PlacedEvent)
}
