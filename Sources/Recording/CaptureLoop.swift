internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The capture from a device into the ring. Every lost frame is counted.
///
/// From the first frame until the device fails or an order ends the capture, the loop neither
/// allocates nor locks. Only one thread at a time uses it (`SharedCapture`).
struct CaptureLoop<Source: FrameSource & ~Copyable>: ~Copyable {
  private var source: Source
  private var frames: SampleRing.Writer
  private var counts: CaptureCounts
  private let state: CaptureState
  private let clock: any StreamClock
  /// Opens a lost device on this thread. Returns nil while the device is not back.
  private let reopen: @Sendable () -> Source?
  /// The longest wait for a lost device, or nil to end the capture immediately.
  private let patience: Duration?
  private var spare: [UInt8]
  /// The free room at which a full ring is used again. Without this limit, each block that the
  /// writer frees would be filled immediately, and a gap would follow each block.
  private let enough: Int
  private var isOverflowing = false
  /// The longest rest that the device's buffer allows, or nil if it allows none.
  private var longestRest: CaptureRest?
  /// Whether the last read emptied the device.
  private var isDrained = false
  /// Whether the writer had taken all frames before the last read.
  private var isFollowed = false
  /// The failure of a read on the writer's thread. The capture thread recovers from it.
  private var failure: Source.Failure?
  /// The time without a frame, measured only while the program runs.
  private var silence: AttendedTime
  /// The cause of the gap before the first frame of a reopened device, or nil after that frame.
  private var awaited: Gap.Cause?
  /// The time of the device's first failure since its last frame, or nil if there was none.
  private var troubled: Duration?
  /// The time of the first frame, on the clock that includes suspended time.
  private var first: Duration?

  private static var longestWait: Duration { .milliseconds(500) }

  init(
    _ source: consuming Source, frames: consuming SampleRing.Writer,
    gaps: consuming SampleRing.Writer, state: CaptureState, patience: Duration?,
    clock: any StreamClock, reopen: @escaping @Sendable () -> Source?
  ) {
    let format = source.format
    enough = min(format.rate.hertz, frames.free / 2)
    spare = [UInt8](repeating: 0, count: 4096 * format.bytesPerFrame)
    counts = CaptureCounts(gaps, state: state, clock: clock, rate: format.rate)
    longestRest = CaptureRest(for: source)
    self.source = source
    self.frames = frames
    (self.state, self.clock) = (state, clock)
    (self.patience, self.reopen) = (patience, reopen)
    silence = AttendedTime(since: clock.monotonic, longestLook: Self.longestWait)
  }

  // Acquiring: pairs with the releasing store in `CaptureState.stop`.
  private var isStopping: Bool { state.isStopping.load(ordering: .acquiring) }

  /// Starts the device. Returns the end of the capture if it cannot be started.
  mutating func start() -> CaptureEnd? {
    do { try source.start() } catch { return .failed("\(error)") }
    return nil
  }

  /// Performs one step. Returns the reason if the capture has ended.
  mutating func advance(hasGathered: Bool) -> CaptureEnd? {
    if isStopping { return finish(.stopped) }
    followSilencing()
    if state.isReleased { return stayClosed() }
    if let end = step(hasGathered: hasGathered), !reconnect(after: end) { return finish(end) }
    return nil
  }

  /// Reports the end and stops the device.
  consuming func close(_ end: CaptureEnd) {
    state.finish(end, counts.lastGap)
    // The device is stopped last, because stopping a stream blocks while the sound server hangs.
    source.stop()
  }

  /// Waits once and reads all available frames. Returns the reason if the capture has ended.
  mutating func step(hasGathered: Bool = false) -> CaptureEnd? {
    do throws(Source.Failure) {
      if let failure = failure.take() { throw failure }
      if hasGathered, try deliver() { return nil }
      switch try source.wait(upTo: patienceNow, wake: state.wake.descriptor.number) {
      case .ready:
        if let lateness { try countLoss(lateness) }
        if try deliver() { return nil }
        // If a device becomes readable but delivers nothing, this wait keeps the loop from using a
        // whole processor.
        clock.wait(upTo: .milliseconds(5), wake: state.wake.descriptor.number)
      case .woken: state.wake.clear()
      case .timedOut: if counts.elapsed == 0 { _ = try deliver() }
      }
    } catch {
      if let end = recover(from: error) { return end }
    }
    silence.check(at: clock.monotonic)
    return silence.passed >= longestSilence ? .stalled(silence.passed) : nil
  }

  /// Reads the frames that have gathered in the device, on the writer's thread. Returns the next
  /// rest, or nil if the capture thread must handle the device.
  mutating func readForWriter() -> CaptureRest? {
    do {
      return try drain() ? rest : nil
    } catch {
      failure = error
      return nil
    }
  }

  /// The rest that the capture may take now, or nil if the recording is attended or has a problem.
  var rest: CaptureRest? {
    guard state.isUnattended.load(ordering: .relaxed), isDrained, silence.passed == .zero,
      troubled == nil, awaited == nil
    else { return nil }
    return isFollowed ? longestRest : longestRest?.alone
  }

  /// The longest wait now. It is short before the first frame, because the start of a recording
  /// waits for this frame, and a device may have frames before its first period ends.
  private var patienceNow: Duration { counts.elapsed == 0 ? .milliseconds(5) : Self.longestWait }

  private var longestSilence: Duration {
    source.format.longestSilence(withPeriod: source.period)
  }

  /// Reads until the device is empty and wakes the writer. Returns true if there were frames.
  private mutating func deliver() throws(Source.Failure) -> Bool {
    guard try drain() else { return false }
    state.arrival.signal()
    return true
  }

  /// Reads until the device is empty. Returns true if there were frames.
  private mutating func drain() throws(Source.Failure) -> Bool {
    let before = counts.elapsed
    isFollowed = frames.isEmpty
    isDrained = try readAll()
    if counts.elapsed == before { return false }
    if isDrained { keepTime() }
    return true
  }

  /// Reads until the device is empty. Returns true if the device is empty, apart from frames that
  /// it captured during the last read.
  ///
  /// This function reads at most as many frames as the device can hold. A device that always has
  /// more would otherwise block the loop.
  @discardableResult
  private mutating func readAll() throws(Source.Failure) -> Bool {
    let most = counts.elapsed + Int(source.capacity.value)
    var isEmpty = false
    while !isEmpty && counts.elapsed < most { isEmpty = try readOnce() }
    return isEmpty
  }

  /// Compares the counts with the clock, and publishes the position at which orders take effect.
  private mutating func keepTime() {
    let timing =
      (try? source.timing()) ?? StreamTiming(instant: clock.monotonic, available: 0)
    let progress = counts.progress(ahead: timing.ahead(on: source), at: timing.instant)
    counts.balance(
      progress, claimed: Int(max(timing.delay, timing.available).value), capacity: source.capacity,
      tolerance: max(source.period, tolerance), countsLostFrames: source.countsLostFrames)
    state.timeline.pass(counts.elapsed + progress.ahead, at: timing.instant)
  }

  /// The number of missing frames that may be caused by an inexact report of the sound server.
  private var tolerance: FrameCount { FrameCount(.milliseconds(100), at: source.format.rate) }

  /// Whether the device delivered more frames than any clock allows. A crystal is off by less than
  /// a thousandth. A device without a clock, such as ALSA's `null`, can deliver more. Such a device
  /// loses no frames while it is not read.
  private var isAheadOfTime: Bool {
    guard let first else { return false }
    let due = FrameCount(clock.bootTime - first, at: source.format.rate).value
    let slack = source.capacity.value + Int64(source.format.rate.hertz)
    return Int64(counts.elapsed) > due + due / 1_000 + slack
  }

  /// Reads once, into the ring if there is room. Returns true if the device is empty now. A device
  /// without a clock is not read until there is room.
  private mutating func readOnce() throws(Source.Failure) -> Bool {
    let hasRoom = hasRoom()
    if !hasRoom && isAheadOfTime {
      silence.restart(at: clock.monotonic)
      return true
    }
    let read = try Self.read(&source, into: &frames, or: &spare, hasRoom: hasRoom)
    counts.lose(Int(read.lost.value), .overrun)
    if read.count > 0 {
      counts.silence(read.silent)
      // The writer must get the loss before it can see the frames that follow.
      if hasRoom && counts.reportLoss() {
        frames.commit(read.count)
        counts.capture(read.count)
      } else {
        counts.lose(read.count, .disk)
      }
      silence.restart(at: clock.monotonic)
      troubled = nil
      first = first ?? clock.bootTime
    }
    return read.isAll || (read.count == 0 && read.lost == 0)
  }

  /// Returns whether the ring accepts frames. If it does not, the disk is too slow. The device is
  /// read nevertheless, to keep its counts correct.
  private mutating func hasRoom() -> Bool {
    isOverflowing = frames.free < (isOverflowing ? enough : 1)
    return !isOverflowing
  }

  private static func read(
    _ source: inout Source, into frames: inout SampleRing.Writer, or spare: inout [UInt8],
    hasRoom: Bool
  ) throws(Source.Failure) -> FramesRead {
    if hasRoom {
      var room = frames.room()
      return try source.read(into: &room)
    }
    var bytes = spare.mutableSpan
    var room = unsafe bytes.mutableBytes
    return try source.read(into: &room)
  }
}

extension CaptureLoop where Source: ~Copyable {
  /// Restarts the stream after an overrun or a suspend. Returns the reason if this fails.
  private mutating func recover(from failure: Source.Failure) -> CaptureEnd? {
    guard let cause = failure.condition.gap else { return failure.end }
    let isRepeated = troubled != nil
    let since = troubled ?? clock.monotonic
    troubled = since
    if isRepeated { state.sleep(upTo: .milliseconds(20)) }
    do {
      while try !source.recover() {
        if clock.monotonic - since > .seconds(5) { return .failed("\(failure)") }
        if isStopping { return nil }
        state.sleep(upTo: .milliseconds(20))
      }
      // The device still has frames from before the gap. The length of the gap is counted below.
      try readAll()
    } catch let error where error.condition.gap == nil {
      return error.end
    } catch {
      // The stream failed again. The next step tries again.
    }
    // If the sound server died, each recovery succeeds, but no frame arrives.
    if troubled != nil && isRepeated && clock.monotonic - since > .seconds(1) {
      return .disconnected("\(failure)")
    }
    counts.loseMissing(cause)
    counts.restart()
    return nil
  }

  /// Waits for a lost device if `patience` allows it. Returns false if the capture is over.
  private mutating func reconnect(after end: CaptureEnd) -> Bool {
    // If a device never delivered a frame, report the error immediately, because a caller waits for
    // the start.
    guard let patience, counts.captured > 0 else { return false }
    // The device must be closed. A card that stays open cannot disappear, so it would return under
    // another name.
    source.lose()
    let since = troubled ?? clock.monotonic
    troubled = since
    counts.loseMissing(end.gap)
    while clock.monotonic - since < patience {
      state.sleep(upTo: .milliseconds(250))
      counts.loseMissing(end.gap)
      if isStopping { return true }
      if isReopened() {
        counts.loseMissing(end.gap)
        // A hung server accepts an open but delivers nothing.
        awaited = source.countsLostFrames ? nil : end.gap
        if source.countsLostFrames { counts.restart() }
        return true
      }
    }
    return false
  }

  /// Asks the device to stop the capture of tracks, if there is an order to do so.
  private mutating func followSilencing() {
    if let tracks = state.takeSilencing() { source.silence(tracks) }
  }

  /// Reopens the device. Returns true if it is back with the same format.
  private mutating func isReopened() -> Bool {
    followSilencing()
    guard Thread.asOrdinary({ source.reopen(reopen) }) else { return false }
    state.silence(TrackSet())
    failure = nil
    longestRest = CaptureRest(for: source)
    silence.restart(at: clock.monotonic)
    return true
  }

  /// Keeps the device closed until the pause ends. Returns the end of the capture if a stop comes
  /// first, or if the device cannot be reopened.
  private mutating func stayClosed() -> CaptureEnd? {
    captureUntilRelease()
    guard state.close() else { return nil }
    source.close()
    counts.rest()
    state.timeline.forget()
    while state.isClosed {
      if isStopping { return .stopped }
      state.sleep(upTo: .seconds(1))
    }
    let since = clock.monotonic
    while !isStopping {
      if isReopened() {
        (troubled, awaited) = (nil, nil)
        return nil
      }
      guard clock.monotonic - since < patience ?? .seconds(3) else {
        return .failed("the device could not be opened again after the pause")
      }
      state.sleep(upTo: .milliseconds(100))
    }
    return .stopped
  }

  /// Captures the frames before a pause that closes the device.
  private mutating func captureUntilRelease() {
    let deadline = clock.monotonic + Self.longestWait
    while let position = state.releasePosition, counts.captured < position, !isStopping,
      clock.monotonic < deadline
    {
      // If the device fails, it is closed anyway.
      guard step() == nil else { return }
    }
  }

  /// The cause of the loss before the next frames, or nil if the device counts its losses itself.
  private var lateness: Gap.Cause? { source.countsLostFrames ? nil : awaited ?? stall }

  /// The cause `stalled` if the device was silent for a third of its longest silence, or nil if
  /// not. Unlike `lateness`, this also applies to a device that counts its losses.
  private var stall: Gap.Cause? {
    let shortest = Duration(attoseconds: longestSilence.attoseconds / 3)
    return silence.passed >= shortest ? .stalled : nil
  }

  /// Counts the loss after a server was silent. It must be called before the next frames are read.
  private mutating func countLoss(_ cause: Gap.Cause) throws(Source.Failure) {
    // Late frames arrive within this time and are not lost.
    clock.wait(upTo: .milliseconds(200), wake: state.wake.descriptor.number)
    var timing = try caughtUp()
    // A full buffer has kept its oldest frames, so the gap comes after them.
    if timing.available + source.period > source.capacity {
      // Undo losses before the read, because the read reports all earlier losses to the writer.
      counts.regain(counts.progress(ahead: timing.ahead(on: source), at: timing.instant))
      try readAll()
      timing = try source.timing()
    }
    counts.resume(counts.progress(ahead: timing.ahead(on: source), at: timing.instant), cause)
    awaited = nil
  }

  /// Waits until a server's stream has caught up, which may take seconds. Returns its timing.
  private mutating func caughtUp() throws(Source.Failure) -> StreamTiming {
    var timing = try source.timing()
    for _ in 0..<50 where !isStopping && timing.onTheWay > source.period {
      clock.wait(upTo: .milliseconds(100), wake: state.wake.descriptor.number)
      let before = timing.onTheWay
      timing = try source.timing()
      // A server is behind while the frames on the way fill its buffer, or while their number
      // falls. A smaller number that does not fall is normal for the server.
      let isBehind = timing.onTheWay >= source.capacity || timing.onTheWay + source.period < before
      if !isBehind { break }
    }
    return timing
  }

  /// Reads the frames that have arrived and counts the missing ones.
  private mutating func finish(_ end: CaptureEnd) -> CaptureEnd {
    if end == .stopped {
      do {
        if try !drain(), let cause = lateness ?? stall { counts.loseMissing(cause) }
      } catch {
        counts.loseMissing(error.condition.gap ?? .disconnected)
      }
    } else {
      counts.loseMissing(end.gap)
    }
    return end
  }
}
