internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The state that the capture thread shares with other threads, apart from the ring: counts, flags,
/// and events that wake threads.
///
/// The capture thread uses only the atomics and the events, until its final report.
final class CaptureState: Sendable {
  /// The final report of a capture thread.
  struct Report {
    var end: CaptureEnd
    /// The loss after the last frame in the ring.
    var gap: GapRecord?
  }

  /// The number of frames put into the ring since the beginning. Edits use this as their position.
  let captured = Atomic<Int>(0)
  /// The number of frames lost since the beginning, including those not yet reported to the writer.
  let lost = Atomic<Int>(0)
  let isStopping = Atomic<Bool>(false)
  /// The number of frames to capture before the device is closed for a pause. The values `held` and
  /// `closed` have other meanings.
  private let leaving = Atomic<Int>(CaptureState.held)
  /// Whether no client, screen or monitor waits for frames, so that the threads may work in larger
  /// blocks.
  let isUnattended = Atomic<Bool>(false)
  /// The bits of the tracks that are not recorded any more.
  private let silencedTracks = Atomic<UInt64>(0)
  /// Whether the device must still be asked to stop the capture of the tracks in `silencedTracks`.
  private let isSilencing = Atomic<Bool>(false)
  /// The bits of the tracks whose device is missing.
  private let missingTracks = Atomic<UInt64>(0)
  let timeline: Timeline
  /// Ends the wait of the capture thread.
  let wake: Event
  /// Wakes the writer, because there is work.
  let arrival: Event
  /// Wakes the session's thread, because frames were lost, a track has another state or the writer
  /// waits for a check of the microphone access.
  let loss: Event
  /// Ends the wait of the capture thread if the writer must read the device but is late.
  let lateness: Timer
  private let ending = Mutex<Report?>(nil)
  /// A descriptor that is readable if the microphone access may have changed, or -1 if the writer
  /// never waits for a check.
  private let changes = Atomic<Int32>(-1)
  /// A descriptor of the list of mounts, or -1. After each change of the list, the first poll
  /// reports `urgent`, and later polls do not.
  private let mounts = Atomic<Int32>(-1)
  /// The time when the access expires, in nanoseconds.
  private let expiry = Atomic<Int64>(.max)
  private let doubt = Atomic<Bool>(false)
  private let isHeld = Atomic<Bool>(false)
  /// Whether `settleDoubt` must wake the writer.
  private let isHeldUp = Atomic<Bool>(false)

  init(_ timeline: Timeline) throws(SystemError) {
    self.timeline = timeline
    wake = try Event()
    arrival = try Event()
    loss = try Event()
    lateness = try Timer(on: .monotonic)
  }

  /// The end of the capture, or nil while it runs.
  var report: Report? { ending.withLock { $0 } }

  /// Sets the final report of the capture thread. Another thread may also set it. Only the first
  /// report counts.
  func finish(_ end: CaptureEnd, _ gap: GapRecord? = nil) {
    ending.withLock { ending in
      if ending == nil { ending = Report(end: end, gap: gap) }
    }
    arrival.signal()
  }

  /// Returns the total number of frames put into the ring before a time on the monotonic clock, or
  /// nil before the first frame. The number is correct if no frame was lost after that time.
  func position(at instant: Duration) -> Int? {
    timeline.frame(at: instant).map { Int($0.value) - lost.load(ordering: .relaxed) }
  }

  /// The value of `leaving` if there is no order to close the device.
  private static let held = Int.max
  /// The value of `leaving` if the device is closed or is being closed. `keepOpen` cannot prevent
  /// this any more.
  private static let closed = -1

  /// Whether the device was ordered to close and not yet ordered to open again.
  var isReleased: Bool { leaving.load(ordering: .acquiring) != Self.held }

  /// Whether the device is closed and was not yet ordered to open again.
  var isClosed: Bool { leaving.load(ordering: .acquiring) == Self.closed }

  /// The number of frames to capture before the device is closed, or nil if it was not ordered to
  /// close.
  var releasePosition: Int? {
    let position = leaving.load(ordering: .acquiring)
    return position == Self.held || position == Self.closed ? nil : position
  }

  /// Asks the capture thread to close the device after it has captured `position` frames.
  func release(after position: Int) {
    leaving.store(position, ordering: .releasing)
    wake.signal()
  }

  /// Carries out the order to close the device. Returns false if the order was cancelled.
  func close() -> Bool {
    guard let position = releasePosition else { return false }
    return leaving.compareExchange(
      expected: position, desired: Self.closed, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Cancels the order to close the device. Returns false if the device is already closed.
  func keepOpen() -> Bool {
    guard let position = releasePosition else { return !isClosed }
    return leaving.compareExchange(
      expected: position, desired: Self.held, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Asks the capture thread to open the device again.
  func reclaim() {
    leaving.store(Self.held, ordering: .releasing)
    wake.signal()
  }

  /// The tracks that are not recorded any more.
  var silenced: TrackSet { TrackSet(rawValue: silencedTracks.load(ordering: .relaxed)) }

  /// Asks the capture thread to stop the capture of these tracks, in addition to earlier ones.
  func silence(_ tracks: TrackSet) {
    silencedTracks.bitwiseOr(tracks.rawValue, ordering: .relaxed)
    // Releasing: pairs with the acquiring exchange in `takeSilencing`.
    isSilencing.store(true, ordering: .releasing)
    wake.signal()
  }

  /// Returns the tracks whose capture the device must stop, or nil if the device was already asked.
  func takeSilencing() -> TrackSet? {
    // Acquiring: pairs with the releasing store in `silence`.
    isSilencing.load(ordering: .relaxed) && isSilencing.exchange(false, ordering: .acquiring)
      ? silenced : nil
  }

  /// The tracks whose device is missing. Only the thread that reads the device may set it.
  var missing: TrackSet {
    get { TrackSet(rawValue: missingTracks.load(ordering: .relaxed)) }
    set {
      missingTracks.store(newValue.rawValue, ordering: .relaxed)
      loss.signal()
    }
  }

  /// Lets both threads rest longer, or wakes them if a client has begun to wait.
  func leaveUnattended(_ isUnattended: Bool) {
    let before = self.isUnattended.exchange(isUnattended, ordering: .relaxed)
    guard before, !isUnattended else { return }
    wake.signal()
    arrival.signal()
  }

  /// After this call, the writer asks the session to check the microphone access after each stall
  /// and each possible change of the access. The writer continues after the check.
  func guardWriting(by changes: Int32, mounts: Int32, until expiry: Duration?) {
    self.changes.store(changes, ordering: .relaxed)
    self.mounts.store(mounts, ordering: .relaxed)
    self.expiry.store(expiry?.wholeNanoseconds ?? .max, ordering: .relaxed)
  }

  /// Returns whether the microphone access may have changed since the session checked it last.
  func mayLackAccess(at now: Duration) -> Bool {
    let number = changes.load(ordering: .relaxed)
    guard number >= 0 else { return false }
    return now.wholeNanoseconds >= expiry.load(ordering: .relaxed) || Poll.isReady(number)
      || Poll.isReady(mounts.load(ordering: .relaxed), for: .urgent)
  }

  /// Whether the writer waits for the session to check the microphone access.
  var isDoubted: Bool { doubt.load(ordering: .sequentiallyConsistent) }

  /// Asks the session to check the microphone access.
  func raiseDoubt() {
    guard changes.load(ordering: .relaxed) >= 0 else { return }
    doubt.store(true, ordering: .releasing)
    loss.signal()
  }

  /// Makes the writer wait until `settleDoubt`. The session calls this before it checks the access.
  func hold() { isHeld.store(true, ordering: .sequentiallyConsistent) }

  private var isWaiting: Bool { isDoubted || isHeld.load(ordering: .sequentiallyConsistent) }

  /// Returns whether the writer must wait for a check that the writer or the session has requested.
  func holdsUpWriter() -> Bool {
    guard isWaiting else { return false }
    isHeldUp.store(true, ordering: .sequentiallyConsistent)
    // The check may have ended before `isHeldUp` was set. In this case, it does not wake the
    // writer, and the writer must not wait.
    return isWaiting
  }

  /// Lets the writer continue.
  func settleDoubt() {
    doubt.store(false, ordering: .sequentiallyConsistent)
    isHeld.store(false, ordering: .sequentiallyConsistent)
    if isHeldUp.exchange(false, ordering: .sequentiallyConsistent) { arrival.signal() }
  }

  /// Makes the capture thread wait up to `limit`, or until an order comes. Then clears the signal
  /// of the order, because the signal would end each later wait immediately. The order itself is
  /// stored elsewhere.
  func sleep(upTo limit: Duration) {
    if timeline.clock.wait(upTo: limit, wake: wake.descriptor.number) { wake.clear() }
  }

  /// Asks the capture thread to read the available frames and to end.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    wake.signal()
    arrival.signal()
  }
}

/// A gap, or a change of the silent tracks, that the capture thread sends to the writer.
struct GapRecord: BitwiseCopyable {
  /// The total number of frames put into the ring before the gap.
  var position: Int
  /// The number of lost frames.
  var length: Int
  var cause: Gap.Cause
  /// The tracks that are silent in the frames after the gap.
  var silent = SilentTracks()

  static let bytes = MemoryLayout<GapRecord>.stride
}

extension SampleRing.Writer {
  /// Puts a record into the ring. Returns false if there is no room.
  mutating func put(_ record: GapRecord) -> Bool {
    var room = room(upTo: 1)
    guard room.byteCount == GapRecord.bytes else { return false }
    room.storeBytes(of: record, as: GapRecord.self)
    commit(1)
    return true
  }
}

extension SampleRing.Reader {
  /// Silences these tracks in the next frames, at most in `limit` frames.
  mutating func clear(_ tracks: [Track], upTo limit: Int, of format: StreamFormat) {
    let count = frames(upTo: limit).byteCount / format.bytesPerFrame
    let size = format.sample.bytesPerSample
    for channels in tracks.compactMap(\.channels) {
      clear(channels.lowerBound * size..<channels.upperBound * size, of: count)
    }
  }

  /// Takes the next record, or returns nil if there is none.
  mutating func takeRecord() -> GapRecord? {
    let record: GapRecord
    do {
      let bytes = frames(upTo: 1)
      guard bytes.byteCount == GapRecord.bytes else { return nil }
      record = unsafe bytes.unsafeLoad(as: GapRecord.self)
    }
    release(1)
    return record
  }
}

/// Detects that the process or the disk stalled between two steps of the writer, or that the
/// microphone access may have changed.
struct Standstill {
  private var step = KernelClock.monotonic.now

  /// The longest time between two steps without a check of the access.
  private static let longest = Duration.seconds(1)
  /// The same limit if the access may have changed.
  private static let brief = Duration.milliseconds(200)

  /// Records a step. Returns true while the frames since the last step must not be written.
  mutating func isDoubted(by state: CaptureState) -> Bool {
    let now = KernelClock.monotonic.now
    let passed = now - step
    if passed > Self.longest || passed > Self.brief && state.mayLackAccess(at: now) {
      state.raiseDoubt()
    }
    step = now
    return state.holdsUpWriter()
  }
}
