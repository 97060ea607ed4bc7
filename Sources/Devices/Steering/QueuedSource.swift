internal import Audio
internal import Synchronization

/// The part of a device's state that other threads also read. The device is in a combined capture.
final class MemberState: Sendable {
  /// Whether the device's clock cannot be followed, because its difference to the clock of the
  /// first device is too large to be compensated, or because one of these two clocks is irregular.
  let isBeyondRange = Atomic(false)
  private let bits = Atomic<UInt64>(0)

  /// The tracks that are not recorded any more, by their index in `QueuedSource.tracks`. Only the
  /// thread that uses the capture changes this set.
  var silenced: TrackSet {
    get { TrackSet(rawValue: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.rawValue, ordering: .relaxed) }
  }
}

/// A device of a combined capture, with its clock and the frames that were read from it.
///
/// Lost frames are in the queue as silence, so the frames after them keep their positions.
///
/// Unchecked: only the thread that uses the capture uses this object.
final class QueuedSource<Source: FrameSource & ~Copyable>: @unchecked Sendable {
  /// The indices of the tracks that the device records, in the order of its channels.
  let tracks: [Int]
  /// The set of all indices in `tracks`.
  private let all: TrackSet
  let format: StreamFormat
  let period: FrameCount
  let capacity: FrameCount
  let countsLostFrames: Bool
  /// The time without frames after which the device counts as lost.
  private let longestSilence: Duration
  let state: MemberState
  private(set) var queue: FrameQueue
  private(set) var clock: DeviceClock
  /// The device, or nil while it is closed.
  private var source: Source?
  /// Whether the device was open when `close` was last called.
  private var wasOpen = false
  private let reopening: Reopening<Source>
  /// The frames at which the silent tracks change, with the tracks that are silent afterwards, by
  /// their index in `tracks`.
  private var changes: [(frame: Int, silent: SilentTracks)] = []
  /// The silent tracks at the first frame of the queue, and after its last frame.
  private var silent = (first: SilentTracks(), last: SilentTracks())
  /// The frames that are not in the queue yet: the number of lost frames, and the number of frames
  /// that were read after the loss.
  private var pending = (lost: 0, count: 0)
  /// The number of lost frames that `skipLoss` has skipped.
  private var skipped = 0
  /// The tracks that are silent in the pending frames.
  private var pendingSilent = SilentTracks()
  /// Whether the stream has stopped and must be restarted.
  private var isStopped = false
  /// The first device's `passed` at the time when this device last delivered frames.
  private var heard = 0

  private static var mostChanges: Int { 64 }

  /// A source for these tracks, with this number of channels. The queue has room for at least a
  /// second more than the device's buffer.
  ///
  /// - Parameters:
  ///   - reopensOnOwnThread: whether the device is closed and opened again on another thread.
  ///   - reopen: opens the device again, without starting it.
  init(
    _ source: consuming Source, tracks: [Int], channels: ChannelCount,
    state: MemberState = MemberState(), reopensOnOwnThread: Bool = false,
    reopen: @escaping @Sendable () -> Source? = { nil }
  ) {
    format = source.format
    period = source.period
    capacity = source.capacity
    countsLostFrames = source.countsLostFrames
    longestSilence = source.format.longestSilence(withPeriod: source.period)
    queue = FrameQueue(
      capacity: capacity + FrameCount(format.rate.hertz), of: format, keeping: channels)
    clock = DeviceClock(
      rate: format.rate, tolerance: .milliseconds(countsLostFrames ? 5 : 50))
    self.tracks = tracks
    self.state = state
    all = TrackSet(Array(tracks.indices))
    reopening = Reopening(format, onOwnThread: reopensOnOwnThread, open: reopen)
    self.source = consume source
    changes.reserveCapacity(Self.mostChanges)
  }
}

extension QueuedSource where Source: ~Copyable {
  /// Whether the device is closed.
  var isMissing: Bool { source == nil }

  /// Whether the device delivers frames, or may do so soon.
  var isExpected: Bool { !isMissing || (wasOpen && !recorded.isEmpty) }

  /// The tracks that are recorded, by their index in `tracks`.
  var recorded: TrackSet { all.subtracting(state.silenced) }

  /// Whether a loss of more than a second follows the frames in the queue. These frames must not
  /// wait for frames of other devices, because this device is read again only after the queue is
  /// empty.
  var endsWithLoss: Bool { pending.lost > format.rate.hertz }

  /// The number of frames that were added to the queue so far. Skipped losses are not included.
  var passed: Int { queue.end - skipped }

  /// Starts the device.
  func start() throws(Source.Failure) { try source?.start() }

  /// Waits for frames of the device. Returns immediately if the device is closed.
  func wait(upTo limit: Duration, wake: Int32) throws(Source.Failure) -> Readiness {
    try source?.wait(upTo: limit, wake: wake) ?? .timedOut
  }

  /// Returns the position of the device. The frames that were read but not used also count as
  /// available.
  func timing() throws(Source.Failure) -> StreamTiming {
    let timing = try source?.timing() ?? StreamTiming(instant: .zero, available: 0)
    return StreamTiming(
      instant: timing.instant, available: timing.available + FrameCount(end - queue.first),
      delay: timing.delay + FrameCount(end - queue.first))
  }

  /// Restarts a stopped stream. Returns false if it needs more time.
  func recover() throws(Source.Failure) -> Bool {
    clock.restart()
    return try source?.recover() ?? true
  }

  /// Stops recording these tracks of the take.
  func silence(_ silenced: TrackSet) {
    for (index, track) in tracks.enumerated() where silenced.contains(track) {
      state.silenced.insert(index)
    }
    source?.silence(state.silenced)
  }

  /// Calls a function with the device, if it is open.
  func with(_ body: (borrowing Source) -> Void) {
    guard let device = source.take() else { return }
    body(device)
    source = consume device
  }

  /// Stops the device.
  func stop() { source?.stop() }

  /// Closes the device and drops its frames.
  func close() {
    wasOpen = !isMissing
    reopening.close(source.take())
    clock.restart(forgettingRate: true)
    pending = (0, 0)
    drop(before: queue.end)
    isStopped = false
  }

  /// Opens the device again if it is closed. Returns whether it is open.
  ///
  /// - Parameter passed: the value of `passed` of the capture's first device.
  func reopen(at passed: Int = 0) -> Bool {
    if !isMissing { return true }
    guard var device = reopening.take() else { return false }
    // Tracks may have been silenced while the device was being opened.
    if !state.silenced.isEmpty { device.silence(state.silenced) }
    source = consume device
    heard = passed
    return true
  }
}

extension QueuedSource where Source: ~Copyable {
  /// The number that the next frame from the device gets.
  private var end: Int { queue.end + pending.lost + pending.count }

  /// Reads frames from the device, and opens it again if it is closed. Closes the device if it was
  /// lost, or if it has delivered no frame for `longestSilence`.
  ///
  /// - Parameters:
  ///   - passed: the value of `passed` of the capture's first device.
  ///   - rate: the sample rate of the first device.
  func refill(at passed: Int, _ rate: SampleRate) {
    guard !recorded.isEmpty, reopen(at: passed) else { return }
    let before = end
    do {
      if isStopped { isStopped = try !recover() }
      if !isStopped {
        repeat {
          try fill()
          if endsWithLoss { drop(before: queue.end) }
        } while skipLoss() > 0
      }
    } catch {
      switch error.condition {
      case .xrun, .suspended: isStopped = true
      case .disconnected, .failed: return close()
      }
    }
    if end > before { heard = passed }
    if passed - heard > Int(FrameCount(longestSilence, at: rate).value) { close() }
  }

  /// Gives a time stamp of the device to the clock, and then reads the device's frames into the
  /// queue.
  func fill() throws(Source.Failure) {
    guard let timing = try source?.lastStep() else { return }
    let before = end
    let last = before + Int(timing.available.value)
    if timing.available > 0 { clock.observe(before + ahead(timing), at: timing.instant) }
    while queue.hasRoom && !endsWithLoss {
      if pending.lost > 0 {
        note(SilentTracks(interrupted: recorded))
        pending.lost -= queue.appendSilence(upTo: pending.lost)
      } else if pending.count > 0 {
        note(pendingSilent)
        queue.append(pending.count)
        pending.count = 0
      } else {
        // Even without available frames, one read is made, because only a read reports that a
        // stream has ended.
        guard end < last || end == before, try read() else { return }
      }
    }
  }

  /// Returns the number of frames that the device has captured but that were not read. The buffer
  /// of a plugin fills in large steps. So for a plugin, the delay is used, which also counts the
  /// frames that were captured since the last step.
  private func ahead(_ timing: StreamTiming) -> Int {
    if countsLostFrames { return Int(timing.available.value) }
    return Int(min(max(timing.delay, timing.available), timing.available + capacity).value)
  }

  /// Reads a block. Returns false if the device has no frames.
  private func read() throws(Source.Failure) -> Bool {
    guard let read = try queue.read(from: &source) else { return false }
    pending = (Int(read.lost.value), read.count)
    pendingSilent = read.silent
    return read.count > 0 || read.lost > 0
  }

  /// Skips a loss of more than a second, if the queue is empty. Returns the number of lost frames,
  /// or 0 without such a loss. A shorter loss is in the queue as silence.
  func skipLoss() -> Int {
    guard endsWithLoss, queue.count == 0 else { return 0 }
    let lost = pending.lost
    pending.lost = 0
    skipped += lost
    queue.skip(lost)
    return lost
  }

  /// Stores the tracks that are silent in the frames that are appended next.
  private func note(_ tracks: SilentTracks) {
    guard tracks != silent.last else { return }
    silent.last = tracks
    if changes.count < Self.mostChanges {
      changes.append((queue.end, tracks))
    } else {
      changes[changes.count - 1].silent.formUnion(tracks)
    }
  }

  /// Returns the number of the next frame after `frame` at which the silent tracks change, or nil
  /// if there is none.
  func change(after frame: Int) -> Int? {
    // In a build without optimization, `first`, `first(where:)` and `removeFirst` allocate.
    for index in changes.indices where changes[index].frame > frame { return changes[index].frame }
    return nil
  }

  /// Returns the tracks that are silent at a frame of the queue, by their index in `tracks`.
  func silent(at frame: Int) -> SilentTracks {
    var found = silent.first
    for index in changes.indices where changes[index].frame <= frame {
      found = changes[index].silent
    }
    return found
  }

  /// Removes the frames whose number is less than `number` from the queue.
  func drop(before number: Int) {
    queue.drop(before: number)
    while !changes.isEmpty, changes[0].frame <= queue.first {
      silent.first = changes[0].silent
      changes.remove(at: 0)
    }
  }
}
