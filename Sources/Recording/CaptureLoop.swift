internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The capture of a device: device → ring, with every lost frame counted.
///
/// From the first frame on it neither allocates nor locks, until the device fails or an order stops
/// it. One thread at a time works with it (`SharedCapture`).
struct CaptureLoop<Source: FrameSource & ~Copyable>: ~Copyable {
  private var source: Source
  private var frames: SampleRing.Writer
  private var counts: CaptureCounts
  private let state: CaptureState
  private let clock: any StreamClock
  /// Opens the device anew after it went, on this thread; nil while it is not back.
  private let reopen: @Sendable () -> Source?
  /// The longest wait for a device that went; nil ends the capture at once.
  private let patience: Duration?
  private var spare: [UInt8]
  /// The room at which a ring that was full is used again: else each block the writer frees would
  /// end in a gap of its own.
  private let enough: Int
  private var isOverflowing = false
  /// The rest that the device's buffer allows.
  private var longestRest: CaptureRest?
  /// True where the last read took all that the device had; one that waits for nobody always has more.
  private var isDrained = false
  /// True where the writer had taken all frames before the last read.
  private var isFollowed = false
  /// The failure of a read on another thread, for the capture thread to recover from.
  private var failure: Source.Failure?
  /// The time without a frame.
  private var silence: AttendedTime
  /// The cause of the gap before the first frame of a device that was opened anew, until it comes.
  private var awaited: Gap.Cause?
  /// The moment of the device's first failure since its last frame.
  private var troubled: Duration?
  /// The moment of the first frame, by the clock that counts sleep too.
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

  // Acquires: pairs with the releasing store in `CaptureState.stop`.
  private var isStopping: Bool { state.isStopping.load(ordering: .acquiring) }

  /// Starts the device; returns the end of the capture if it cannot be started.
  mutating func start() -> CaptureEnd? {
    do { try source.start() } catch { return .failed("\(error)") }
    return nil
  }

  /// Goes one step on, after a rest if frames have gathered; returns the end of the capture once an
  /// order stops it or the device fails for good.
  mutating func advance(hasGathered: Bool) -> CaptureEnd? {
    if isStopping { return finish(.stopped) }
    if state.isReleased { return stayClosed() }
    if let end = step(hasGathered: hasGathered), !reconnect(after: end) { return finish(end) }
    return nil
  }

  /// Reports the end, and stops the device.
  consuming func close(_ end: CaptureEnd) {
    state.finish(end, counts.lastGap)
    // Only now, because a sound server that hangs keeps waiting whoever stops its stream.
    source.stop()
  }

  /// Waits once and reads all there is; returns the end of the capture if the device cannot be
  /// resumed.
  mutating func step(hasGathered: Bool = false) -> CaptureEnd? {
    do throws(Source.Failure) {
      if let failure = failure.take() { throw failure }
      if hasGathered, try deliver() { return nil }
      switch try source.wait(upTo: patienceNow, wake: state.wake.descriptor.number) {
      case .ready:
        if let lateness { try settle(lateness) }
        if try deliver() { return nil }
        // A device that has something to read and then nothing must not keep a processor busy.
        clock.wait(upTo: .milliseconds(5), wake: state.wake.descriptor.number)
      case .woken: state.wake.clear()
      case .timedOut: if counts.elapsed == 0 { _ = try deliver() }
      }
    } catch {
      if let end = recover(from: error) { return end }
    }
    silence.look(at: clock.monotonic)
    return silence.passed >= longestSilence ? .stalled(silence.passed) : nil
  }

  /// Reads what has gathered in the device, on the writer's thread; returns the next rest, or nil
  /// where the capture thread has to look after the device.
  mutating func readForWriter() -> CaptureRest? {
    do {
      return try drain() ? rest : nil
    } catch {
      failure = error
      return nil
    }
  }

  /// The rest that the capture may take now; nil where somebody looks on or anything is wrong.
  var rest: CaptureRest? {
    guard state.isUnattended.load(ordering: .relaxed), isDrained, silence.passed == .zero,
      troubled == nil, awaited == nil
    else { return nil }
    return isFollowed ? longestRest : longestRest?.alone
  }

  /// A recording's start waits for the first frame, and a device may have some before its period.
  private var patienceNow: Duration { counts.elapsed == 0 ? .milliseconds(5) : Self.longestWait }

  /// The silence after which the device counts as gone, whatever it reports; a sound server that
  /// hangs for two seconds and resumes costs a gap, not the rest of the take.
  private var longestSilence: Duration {
    max(.seconds(3), FrameCount(4 * source.period.value).duration(at: source.format.rate))
  }

  /// Reads until the device is empty, for the writer to take; returns true if there was anything.
  private mutating func deliver() throws(Source.Failure) -> Bool {
    guard try drain() else { return false }
    state.arrival.signal()
    return true
  }

  /// Reads until the device is empty; returns true if there was anything.
  private mutating func drain() throws(Source.Failure) -> Bool {
    let before = counts.elapsed
    isFollowed = frames.isEmpty
    isDrained = try readAll()
    if counts.elapsed == before { return false }
    if isDrained { keepTime() }
    return true
  }

  /// Reads until the device is empty, which is once a read took all that it had before, because a
  /// card that counts each frame always has one more; returns true if it is.
  ///
  /// It stops at as many frames as the device can hold: one that always has more would let the loop
  /// look at nothing else.
  @discardableResult
  private mutating func readAll() throws(Source.Failure) -> Bool {
    let most = counts.elapsed + Int(source.capacity.value)
    var isEmpty = false
    while !isEmpty && counts.elapsed < most { isEmpty = try readOnce() }
    return isEmpty
  }

  /// Compares the counts with the clock and publishes the frame captured now, for orders that come
  /// between two wakes.
  private mutating func keepTime() {
    let timing =
      (try? source.timing())
      ?? StreamTiming(instant: clock.monotonic, started: nil, available: 0)
    let progress = counts.progress(ahead: timing.ahead(on: source), at: timing.instant)
    counts.balance(
      progress, claimed: Int(max(timing.delay, timing.available).value), capacity: source.capacity,
      tolerance: max(source.period, tolerance), countsLostFrames: source.countsLostFrames)
    state.timeline.pass(counts.elapsed + progress.ahead, at: timing.instant)
  }

  /// Missing frames that a sound server's own uncertainty may explain.
  private var tolerance: FrameCount { FrameCount(.milliseconds(100), at: source.format.rate) }

  /// True if the device brought more than any clock lets it capture, whose crystal is off by less than
  /// a thousandth: one that waits for nobody, as ALSA's `null` does, loses nothing while it waits.
  private var isAheadOfTime: Bool {
    guard let first else { return false }
    let due = FrameCount(clock.bootTime - first, at: source.format.rate).value
    let slack = source.capacity.value + Int64(source.format.rate.hertz)
    return Int64(counts.elapsed) > due + due / 1_000 + slack
  }

  /// Reads once, into the ring if there is room; returns true if the device is empty now. A device
  /// that is not bound to any clock is left alone until there is room.
  private mutating func readOnce() throws(Source.Failure) -> Bool {
    let hasRoom = hasRoom()
    if !hasRoom && isAheadOfTime {
      silence.restart(at: clock.monotonic)
      return true
    }
    let read = try Self.read(&source, into: &frames, or: &spare, hasRoom: hasRoom)
    counts.lose(Int(read.lost.value), .overrun)
    if read.count > 0 {
      // The writer must know of a loss before it can see the frames that follow.
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

  /// Returns true while the ring takes frames; else the disk is too slow, and reading on keeps the
  /// device's counts true.
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
  /// Makes the stream run again after an overrun or a sleep; returns the end of the capture if it
  /// cannot.
  private mutating func recover(from failure: Source.Failure) -> CaptureEnd? {
    guard let cause = failure.condition.gap else { return failure.end }
    let isRepeated = troubled != nil
    let since = troubled ?? clock.monotonic
    troubled = since
    if isRepeated { clock.wait(upTo: .milliseconds(20), wake: state.wake.descriptor.number) }
    do {
      while try !source.recover() {
        if clock.monotonic - since > .seconds(5) { return .failed("\(failure)") }
        if isStopping { return nil }
        clock.wait(upTo: .milliseconds(20), wake: state.wake.descriptor.number)
      }
      // Frames that the device still holds are from before the gap; its length is counted
      // below.
      try readAll()
    } catch  where error.condition.gap == nil {
      return error.end
    } catch {
      // Lost again already: the next step tries again.
    }
    // A sound server that died lets each recovery succeed, and no frame ever comes.
    if troubled != nil && isRepeated && clock.monotonic - since > .seconds(1) {
      return .disconnected("\(failure)")
    }
    counts.loseMissing(cause)
    counts.restart()
    return nil
  }

  /// Waits for a device that went, if `patience` asks for it; false where the capture is over.
  private mutating func reconnect(after end: CaptureEnd) -> Bool {
    // A device that never delivered anything is an error at once, for whoever waits for the start.
    guard let patience, counts.captured > 0 else { return false }
    // Held open, a card could not leave, and would come back under another name.
    source.close()
    let since = troubled ?? clock.monotonic
    troubled = since
    counts.loseMissing(end.gap)
    while clock.monotonic - since < patience {
      clock.wait(upTo: .milliseconds(250), wake: state.wake.descriptor.number)
      counts.loseMissing(end.gap)
      if isStopping { return true }
      if isReopened() {
        counts.loseMissing(end.gap)
        // A server that hangs lets itself be opened, and sends nothing before it is awake.
        awaited = lateness(after: end)
        return true
      }
    }
    return false
  }

  /// Opens the device anew; true where it is back as it was.
  private mutating func isReopened() -> Bool {
    guard var next = reopen(), next.format == source.format, (try? next.start()) != nil else {
      return false
    }
    source = next
    failure = nil
    longestRest = CaptureRest(for: source)
    silence.restart(at: clock.monotonic)
    return true
  }

  /// Closes the device until the order is taken back; returns the end of the capture where that
  /// comes first, or where the device cannot be opened again.
  private mutating func stayClosed() -> CaptureEnd? {
    captureUntilRelease()
    guard state.close() else { return nil }
    source.close()
    counts.rest()
    state.timeline.forget()
    while state.isClosed {
      if isStopping { return .stopped }
      clock.wait(upTo: .seconds(1), wake: state.wake.descriptor.number)
      state.wake.clear()
    }
    let since = clock.monotonic
    while !isStopping {
      if isReopened() {
        (troubled, awaited) = (nil, nil)
        return nil
      }
      guard clock.monotonic - since < patience ?? .seconds(3) else {
        return .failed("it could not be opened again after a pause")
      }
      clock.wait(upTo: .milliseconds(100), wake: state.wake.descriptor.number)
      state.wake.clear()
    }
    return .stopped
  }

  /// Captures the frames before a pause that closes the device.
  private mutating func captureUntilRelease() {
    let deadline = clock.monotonic + Self.longestWait
    while let position = state.releasePosition, counts.captured < position, !isStopping,
      clock.monotonic < deadline
    {
      // A device that fails is closed all the same.
      guard step() == nil else { return }
    }
  }

  private mutating func lateness(after end: CaptureEnd) -> Gap.Cause? {
    guard source.countsLostFrames else { return end.gap }
    counts.restart()
    return nil
  }

  /// The cause of the loss before the next frames, for a device that cannot count what it lost
  /// meanwhile.
  private var lateness: Gap.Cause? {
    if source.countsLostFrames { return nil }
    return awaited ?? (silence.passed >= .seconds(1) ? .stalled : nil)
  }

  /// Counts the loss of a server that was silent, before its next frames are read.
  private mutating func settle(_ cause: Gap.Cause) throws(Source.Failure) {
    // Late frames arrive at once, and those are not lost.
    clock.wait(upTo: .milliseconds(200), wake: state.wake.descriptor.number)
    var timing = try caughtUp()
    // A buffer that ran full has kept its oldest frames: the gap lies behind them.
    if timing.available + source.period > source.capacity {
      // Once they are read, the writer has every earlier loss.
      counts.regain(counts.progress(ahead: timing.ahead(on: source), at: timing.instant))
      try readAll()
      timing = try source.timing()
    }
    counts.resume(counts.progress(ahead: timing.ahead(on: source), at: timing.instant), cause)
    awaited = nil
  }

  /// Waits until a server's stream has caught up, which may take seconds, and returns its timing.
  private mutating func caughtUp() throws(Source.Failure) -> StreamTiming {
    var timing = try source.timing()
    for _ in 0..<50 where !isStopping && timing.onTheWay > source.period {
      clock.wait(upTo: .milliseconds(100), wake: state.wake.descriptor.number)
      let before = timing.onTheWay
      timing = try source.timing()
      // No server reports more than its buffer on the way; one whose count does not fall always has
      // that much.
      let isBehind = timing.onTheWay >= source.capacity || timing.onTheWay + source.period < before
      if !isBehind { break }
    }
    return timing
  }

  /// Reads the frames that came until now and counts those that did not come.
  private mutating func finish(_ end: CaptureEnd) -> CaptureEnd {
    if end == .stopped {
      do {
        if try !drain(), let lateness { counts.loseMissing(lateness) }
      } catch {
        counts.loseMissing(error.condition.gap ?? .disconnected)
      }
    } else {
      counts.loseMissing(end.gap)
    }
    return end
  }
}
