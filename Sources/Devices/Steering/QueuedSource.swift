internal import Audio
internal import Synchronization

/// The state of the clock of a device, for other threads.
final class ClockState: Sendable {
  /// Whether the difference to the clock of the first device is more than can be compensated.
  let isBeyondRange = Atomic(false)
}

/// A device of a combined capture, with its clock and the frames that were read from it.
///
/// Lost frames are in the queue as silence, so the frames keep their positions.
///
/// Unchecked: only the thread that uses the capture uses it.
final class QueuedSource<Source: FrameSource & ~Copyable>: @unchecked Sendable {
  /// The indices of the tracks that the device records, in the order of its channels.
  let tracks: [Int]
  /// The set of all indices in `tracks`.
  let all: TrackSet
  let format: StreamFormat
  let period: FrameCount
  let capacity: FrameCount
  let countsLostFrames: Bool
  /// The state of the clock, which other threads may read.
  let state: ClockState
  private(set) var queue: FrameQueue
  private(set) var clock: DeviceClock
  private var source: Source
  /// Whether the device is closed.
  private(set) var isMissing = false
  /// Returns the device if it has been opened again, or else nil.
  private let reopen: @Sendable () -> Source?
  /// The frames at which the silent tracks change, with the tracks that are silent afterwards, by
  /// their index in `tracks`.
  private var changes: [(frame: Int, silent: SilentTracks)] = []
  /// The silent tracks at the first frame of the queue, and after its last frame.
  private var silent = (first: SilentTracks(), last: SilentTracks())
  /// The lost frames and the frames after them that are not in the queue yet.
  private var pending = (lost: 0, count: 0)
  /// The tracks that are silent in the pending frames.
  private var pendingSilent = SilentTracks()
  /// Whether the device stays closed.
  private var isRetired = false
  /// Whether the stream has stopped and must be restarted.
  private var isStopped = false
  /// The frame of the first device at which this device last delivered frames.
  private var heard = 0

  private static var mostChanges: Int { 64 }

  /// A source for these tracks, with this number of channels. The queue holds at least a second more
  /// than the device.
  init(
    _ source: consuming Source, tracks: [Int], channels: ChannelCount,
    state: ClockState = ClockState(),
    reopen: @escaping @Sendable () -> Source? = { nil }
  ) {
    format = source.format
    period = source.period
    capacity = source.capacity
    countsLostFrames = source.countsLostFrames
    queue = FrameQueue(
      capacity: capacity + FrameCount(format.rate.hertz), of: format, keeping: channels)
    clock = DeviceClock(
      rate: format.rate, tolerance: .milliseconds(countsLostFrames ? 5 : 50))
    self.tracks = tracks
    self.state = state
    all = TrackSet(tracks.indices.map { TrackSet(index: $0) })
    self.reopen = reopen
    self.source = source
    changes.reserveCapacity(Self.mostChanges)
  }
}

extension QueuedSource where Source: ~Copyable {
  /// Starts the device.
  func start() throws(Source.Failure) { try source.start() }

  /// Waits for frames, as the device does.
  func wait(upTo limit: Duration, wake: Int32) throws(Source.Failure) -> Readiness {
    try source.wait(upTo: limit, wake: wake)
  }

  /// Returns the position of the device. The frames in the queue are available.
  func timing() throws(Source.Failure) -> StreamTiming {
    let timing = try source.timing()
    return StreamTiming(
      instant: timing.instant, available: timing.available + FrameCount(end - queue.first),
      delay: timing.delay + FrameCount(end - queue.first))
  }

  /// Restarts a stopped stream. Returns false if it needs more time.
  func recover() throws(Source.Failure) -> Bool {
    clock.restart()
    return try source.recover()
  }

  /// Stops recording these tracks of the take.
  func silence(_ silenced: TrackSet) {
    source.silence(
      TrackSet(
        tracks.indices.filter { silenced.contains(tracks[$0]) }.map { TrackSet(index: $0) }))
  }

  /// Calls a function with the device.
  func with(_ body: (borrowing Source) -> Void) { body(source) }

  /// Stops the device.
  func stop() { source.stop() }

  /// Closes the device.
  func close() { source.close() }

  /// The number after that of the last frame that was read.
  private var end: Int { queue.end + pending.lost + pending.count }

  /// Reads the frames of the device into the queue, after a time stamp.
  func fill() throws(Source.Failure) {
    let timing = try source.timing()
    if timing.available > 0 {
      clock.observe(end + Int(timing.available.value), at: timing.instant)
    }
    let last = end + Int(timing.available.value)
    while queue.hasRoom {
      if pending.lost > 0 {
        note(SilentTracks(interrupted: all))
        pending.lost -= queue.appendSilence(upTo: pending.lost)
      } else if pending.count > 0 {
        note(pendingSilent)
        queue.append(pending.count)
        pending.count = 0
      } else {
        guard end < last, try read() else { return }
      }
    }
  }

  /// Reads a block. Returns false if the device has no frames.
  private func read() throws(Source.Failure) -> Bool {
    let read = try queue.read(from: &source)
    pending = (Int(read.lost.value), read.count)
    pendingSilent = SilentTracks(missing: read.missing, interrupted: read.interrupted)
    return read.count > 0 || read.lost > 0
  }

  /// Notes the tracks that are silent in the frames that are appended next.
  private func note(_ tracks: SilentTracks) {
    guard tracks != silent.last else { return }
    silent.last = tracks
    if changes.count < Self.mostChanges {
      changes.append((queue.end, tracks))
    } else {
      changes[changes.count - 1].silent.formUnion(tracks)
    }
  }

  /// The next frame after `frame` with other silent tracks, or nil if there is none.
  func change(after frame: Int) -> Int? { changes.first { $0.frame > frame }?.frame }

  /// Returns the tracks that are silent at a frame of the queue, by their index in `tracks`.
  func silent(at frame: Int) -> SilentTracks {
    changes.last { $0.frame <= frame }?.silent ?? silent.first
  }

  /// Removes the frames before a number from the queue.
  func drop(before number: Int) {
    queue.drop(before: number)
    while let change = changes.first, change.frame <= queue.first {
      silent.first = change.silent
      changes.removeFirst()
    }
  }
}

extension QueuedSource where Source: ~Copyable {
  /// Reads the frames of a device that may be missing. A device that was lost, or that has delivered
  /// no frame for 3 s, is opened again.
  ///
  /// - Parameter frame: the current frame of the first device, at `rate`.
  func refill(at frame: Int, _ rate: SampleRate) {
    if isRetired { return }
    if isMissing { return reopen(at: frame) }
    let before = end
    do {
      if isStopped {
        guard try recover() else { return }
        isStopped = false
      }
      try fill()
    } catch {
      switch error.condition {
      case .xrun, .suspended: isStopped = true
      case .disconnected, .failed: return lose()
      }
    }
    if end > before { heard = frame }
    if frame - heard > 3 * rate.hertz { lose() }
  }

  /// Closes the device permanently.
  func retire() {
    isRetired = true
    lose()
  }

  /// Closes the device.
  private func lose() {
    source.close()
    isMissing = true
    clock.restart(forgettingRate: true)
  }

  private func reopen(at frame: Int) {
    guard var next = reopen(), next.format == format, (try? next.start()) != nil else { return }
    pending = (0, 0)
    drop(before: queue.end)
    (isMissing, isStopped, heard) = (false, false, frame)
    source = next
  }
}
