internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The body of the rendering thread: it reads orders, mixes the voices, and writes the mix to the
/// device.
///
/// While the device runs, the thread neither allocates nor locks.
struct PlaybackLoop<Sink: FrameSink & ~Copyable>: ~Copyable {
  private var sink: Sink
  private var mixing: Mixing
  private let state: OutputState
  private let settings: OutputSettings
  /// Opens a lost device again. Returns nil if the device is not back.
  private let reopen: @Sendable () -> Sink?

  private let bytesPerFrame: Int
  /// One period. The device has taken its first `taken` bytes.
  private var period: [UInt8]
  private var taken: Int
  /// The number of silent frames before the device may sleep.
  private let enoughSilence: Int
  /// The number of silent frames since the last sound.
  private var silence = 0
  private var isRunning = false
  /// True if no frame was written since the device was opened, or since it was last stopped.
  private var isAsleep = true
  /// The number of written frames that may still be rewound for a command, or nil if none may be
  /// rewound.
  private var fresh: FrameCount?
  /// The value of `silence` before the `fresh` frames.
  private var silenceBefore = 0
  /// The time since the device last took a frame.
  private var standstill = AttendedTime(since: .zero, longestLook: Self.longestWait)
  /// The time at which the device was last known to play. A device that takes frames does not
  /// always play them: a frozen sound server also takes frames, until its buffer is full.
  private var lastPlayed = Duration.zero
  /// The number of calls of `recover` since the running device last took frames.
  private var recoveries = 0
  /// The number of frames that have left the device's buffer.
  private var played: Int64 = 0
  /// The number of attempts to reopen the device since it was last known to play.
  private var reopenings = 0

  private static var longestStandstill: Duration { .seconds(2) }
  private static var longestWait: Duration { .milliseconds(500) }
  private static var mostRecoveries: Int { 20 }

  init(
    _ sink: consuming Sink, mixing: consuming Mixing, state: OutputState,
    _ settings: OutputSettings,
    reopen: @escaping @Sendable () -> Sink?
  ) {
    bytesPerFrame = sink.format.bytesPerFrame
    period = [UInt8](repeating: 0, count: mixing.bytes)
    taken = mixing.bytes
    let rest = FrameCount(settings.silence, at: sink.format.rate)
    enoughSilence = Int((sink.capacity + rest).value)
    self.sink = sink
    self.mixing = mixing
    self.state = state
    self.settings = settings
    self.reopen = reopen
  }

  /// Plays until the end is requested or the device is permanently lost.
  consuming func run() {
    let state = state
    let end = playAndClose()
    state.finish(end)
  }

  /// Plays until the end of the output, and closes the device before it returns. So a thread that
  /// waits for the end of the output can then open the device.
  private consuming func playAndClose() -> PlaybackEnd { play() }

  private mutating func play() -> PlaybackEnd {
    // If the device is lost before it has played anything, the time limit for its return begins
    // now.
    lastPlayed = KernelClock.monotonic.now
    standstill.restart(at: lastPlayed)
    while true {
      state.turns.add(1, ordering: .relaxed)
      if isRunning && mixing.hasOrdersForNow { takeBack() }
      let hasObeyed = mixing.obey(sleeping: isAsleep)
      if mixing.takeChange() || hasObeyed { state.changed.signal() }
      // Relaxed: no other data depends on the request.
      if state.isStopping.load(ordering: .relaxed) {
        sink.stop()
        return .finished
      }
      if isIdle {
        sleep()
      } else if let end = step(), !resume() {
        return end
      }
    }
  }

  private var isIdle: Bool { isAsleep && mixing.isAtRest }

  private mutating func sleep() {
    _ = try? state.wake.descriptor.wait(upTo: nil)
    state.wake.clear()
    (lastPlayed, reopenings) = (KernelClock.monotonic.now, 0)
    standstill.restart(at: lastPlayed)
  }

  /// Writes to the device, or waits until the device can take frames. Returns the reason if the
  /// device failed, otherwise nil.
  private mutating func step() -> PlaybackEnd? {
    do {
      if try write() { return try rest() }
      if !isRunning {
        try sink.start()
        isRunning = true
      }
      if mixing.nextEnd(after: played) != nil { follow() }
      switch try sink.wait(upTo: untilNextEnd, wake: state.wake.descriptor.number) {
      case .ready: fresh = nil
      case .woken: state.wake.clear()
      case .timedOut: break
      }
      follow()
    } catch {
      return recover(from: error)
    }
    let now = KernelClock.monotonic.now
    standstill.check(at: now)
    return standstill.passed > Self.longestStandstill ? .stalled(now - lastPlayed) : nil
  }

  /// Rewinds the frames that the device has not begun to play, so that a command takes effect with
  /// the next frames. If the device cannot rewind, these frames play first.
  private mutating func takeBack() {
    guard let fresh, mixing.mayTakeBack, sink.takeBack(fresh) else { return }
    mixing.takeBack()
    taken = period.count
    silence = silenceBefore
    self.fresh = nil
  }

  /// Writes the remainder of the period, or a new period. Returns false if the device did not take
  /// the whole period.
  private mutating func write() throws(Sink.Failure) -> Bool {
    let now = KernelClock.monotonic.now
    isAsleep = false
    if taken == period.count {
      if fresh == nil {
        mixing.keep()
        (fresh, silenceBefore) = (0, silence)
      }
      render(at: now)
    }
    let frames = try Self.write(period, from: taken, to: &sink)
    guard frames > 0 else { return false }
    taken += frames * bytesPerFrame
    if let fresh { self.fresh = fresh + FrameCount(frames) }
    standstill.restart(at: now)
    if isRunning { (recoveries, reopenings, lastPlayed) = (0, 0, now) }
    return taken == period.count
  }

  private static func write(
    _ period: [UInt8], from first: Int, to sink: inout Sink
  ) throws(Sink.Failure) -> Int {
    try sink.write(unsafe period.span.bytes.extracting(droppingFirst: first))
  }

  private mutating func render(at now: Duration) {
    let isSilent = mixing.isAtRest
    let ahead = mixing.awaitsMoment() ? queued ?? 0 : 0
    Self.render(&mixing, into: &period, at: now, after: ahead)
    silence = isSilent ? silence + mixing.period : 0
    taken = 0
  }

  private static func render(
    _ mixing: inout Mixing, into period: inout [UInt8], at now: Duration, after ahead: FrameCount
  ) {
    var span = period.mutableSpan
    var bytes = unsafe span.mutableBytes
    mixing.render(into: &bytes, at: now, after: ahead)
  }

  /// Puts the device to sleep once the last sound has left the device's buffer. Returns the reason
  /// if the device failed, otherwise nil.
  private mutating func rest() throws(Sink.Failure) -> PlaybackEnd? {
    guard silence >= enoughSilence, mixing.isAtRest else { return nil }
    if !isRunning {
      // The sound was too short to fill the buffer, so the device has not started yet.
      try sink.start()
      isRunning = true
      return nil
    }
    sink.stop()
    follow(to: mixing.mixed)
    (isRunning, isAsleep) = (false, true)
    fresh = nil
    silence = 0
    taken = period.count
    return try sink.recover() ? nil : .disconnected("the device did not recover")
  }
}

extension PlaybackLoop where Sink: ~Copyable {
  /// The number of frames of the period that the device has not taken yet.
  private var untaken: Int64 { Int64((period.count - taken) / bytesPerFrame) }

  /// The number of frames in the device's buffer, or nil if the device does not report it.
  private var queued: FrameCount? {
    mutating get {
      guard let timing = try? sink.timing() else { return nil }
      return max(0, sink.capacity - timing.available)
    }
  }

  /// Reads the device's position, and signals `changed` if the last frame of a voice has left the
  /// device's buffer.
  private mutating func follow() {
    guard let queued else { return }
    follow(to: mixing.mixed - untaken - queued.value)
  }

  private mutating func follow(to frame: Int64) {
    guard frame > played else { return }
    let end = mixing.nextEnd(after: played)
    played = frame
    // Relaxed: a thread that is woken by the event reads the value again.
    state.played.store(frame, ordering: .relaxed)
    if let end, end <= frame { state.changed.signal() }
  }

  /// The time until the next voice ends, at most `longestWait`. A voice ends when its last frame
  /// has left the device's buffer.
  private var untilNextEnd: Duration {
    mutating get {
      guard let end = mixing.nextEnd(after: played) else { return Self.longestWait }
      let left = FrameCount(end - played).duration(at: sink.format.rate)
      return min(Self.longestWait, max(left, .milliseconds(1)))
    }
  }

  /// Makes the device ready again after an underrun or a suspend. Returns the reason if the device
  /// cannot be used any more, otherwise nil.
  private mutating func recover(from failure: Sink.Failure) -> PlaybackEnd? {
    isRunning = false
    fresh = nil
    recoveries += 1
    // Relaxed: a statistic that nothing else depends on.
    if failure.condition == .xrun { state.underruns.add(1, ordering: .relaxed) }
    let mayRecover = failure.condition == .xrun || failure.condition == .suspended
    // After an underrun or a suspend, the frames in the buffer count as played. A lost device has
    // not played them.
    if mayRecover { follow(to: mixing.mixed - untaken) }
    // The number of recoveries is limited, because each recovery can succeed even if the sound
    // server was killed.
    guard mayRecover, recoveries <= Self.mostRecoveries else { return .disconnected("\(failure)") }
    let deadline = KernelClock.monotonic.now + .seconds(5)
    do {
      while try !sink.recover() {
        if KernelClock.monotonic.now > deadline { return .disconnected("\(failure)") }
        state.turns.add(1, ordering: .relaxed)
        pause(.milliseconds(20))
        if state.isStopping.load(ordering: .relaxed) { return nil }
      }
    } catch {
      return .disconnected("\(error)")
    }
    standstill.restart(at: KernelClock.monotonic.now)
    return nil
  }

  /// Tries to open a lost device again. Returns false if the device did not come back in time.
  /// Tries at least once, even if this thread gets no processor time before the time limit has
  /// passed.
  private mutating func resume() -> Bool {
    sink.stop()
    fresh = nil
    mixing.freeze(unheard: FrameCount(mixing.mixed - played))
    follow(to: mixing.mixed)
    taken = period.count
    (isRunning, isAsleep, recoveries) = (false, true, 0)
    let deadline = lastPlayed + settings.patience
    var backOff = Duration.milliseconds(50)
    while reopenings == 0 || KernelClock.monotonic.now < deadline {
      reopenings += 1
      state.turns.add(1, ordering: .relaxed)
      if var next = reopen(), next.format == sink.format, (try? next.recover()) == true {
        sink = next
        standstill.restart(at: KernelClock.monotonic.now)
        return true
      }
      pause(max(.zero, min(backOff, deadline - KernelClock.monotonic.now)))
      let hasObeyed = mixing.obey(sleeping: true)
      if mixing.takeChange() || hasObeyed { state.changed.signal() }
      if state.isStopping.load(ordering: .relaxed) { return true }
      backOff = min(backOff * 2, .seconds(1))
    }
    return false
  }

  /// Waits; a command ends the wait early.
  private func pause(_ duration: Duration) {
    _ = try? state.wake.descriptor.wait(upTo: duration)
    state.wake.clear()
  }
}
