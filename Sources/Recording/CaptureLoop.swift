internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The body of the capture thread: device → ring, with every lost frame counted.
///
/// From the first frame on it neither allocates nor locks, until the device fails or it is told to end.
struct CaptureLoop<Source: FrameSource & ~Copyable>: ~Copyable {
  var source: Source
  var frames: SampleRing.Writer
  var gaps: SampleRing.Writer
  let link: CaptureLink
  /// Opens the device anew after it went, on this thread; nil while it is not back.
  let reopen: @Sendable () -> Source?
  /// How long a device that went is waited for; nil ends the capture.
  let patience: Duration?

  private let rate: Int
  private let bytesPerFrame: Int
  private var spare: [UInt8]
  private var captured = 0
  private var lost = 0
  /// Lost frames that the writer has not been told of, all at `captured`.
  private var pending = GapRecord(position: 0, length: 0, cause: 0)
  /// When the device was last found empty, on the clock that counts sleep.
  private var emptied = Duration.zero
  /// Why the frames since `emptied` may be lost though the clock saw no long pause.
  private var interruption: Gap.Cause?

  /// No frame for this long means that the device is gone, whatever it says.
  private static var longestSilence: Duration { .seconds(2) }
  private static var longestWait: Duration { .milliseconds(500) }

  init(
    _ source: consuming Source, frames: consuming SampleRing.Writer,
    gaps: consuming SampleRing.Writer, link: CaptureLink, patience: Duration?,
    reopen: @escaping @Sendable () -> Source?
  ) {
    rate = source.format.rate.hertz
    bytesPerFrame = source.format.bytesPerFrame
    spare = [UInt8](repeating: 0, count: 4096 * source.format.bytesPerFrame)
    self.source = source
    self.frames = frames
    self.gaps = gaps
    self.link = link
    self.patience = patience
    self.reopen = reopen
  }

  /// Captures until it is told to end or the device fails for good.
  consuming func run() {
    let link = link
    let end = capture()
    link.finish(end)
  }

  private mutating func capture() -> CaptureEnd {
    do {
      try source.start()
      emptied = KernelClock.bootTime.now
    } catch {
      return .failed("\(error)")
    }
    while true {
      // Acquires: pairs with the releasing store in `CaptureLink.stop`.
      if link.isStopping.load(ordering: .acquiring) { return finish(.stopped) }
      if let end = step(), !resume(after: end) { return finish(end) }
    }
  }

  /// Waits once and reads all there is; returns why the device cannot go on.
  private mutating func step() -> CaptureEnd? {
    do {
      switch try source.wait(upTo: Self.longestWait, wake: link.wake.descriptor.number) {
      case .ready: if try drain() { return nil }
      case .woken: link.wake.clear()
      case .timedOut: break
      }
    } catch {
      if let end = recover(from: error) { return end }
    }
    let silence = KernelClock.bootTime.now - emptied
    return silence > Self.longestSilence ? .stalled(silence) : nil
  }

  /// Reads until the device is empty, and says whether there was anything.
  private mutating func drain() throws(Source.Failure) -> Bool {
    var total = 0
    while true {
      let read = try readOnce()
      if read.lost > 0 { lose(Int(read.lost.value), .overrun) }
      if read.count == 0 { break }
      total += read.count
    }
    if total == 0 { return false }
    account(for: total)
    link.arrival.signal()
    return true
  }

  private mutating func readOnce() throws(Source.Failure) -> FramesRead {
    if tellPending() {
      if let read = try Self.read(&source, into: &frames) {
        // The lost frames lie before these; these are in the ring only after the writer can know.
        if read.lost > 0 {
          return try keepAside(read)
        }
        frames.commit(read.count)
        captured += read.count
        // Releases nothing but the number: the frames themselves are released by the ring.
        link.captured.store(captured, ordering: .relaxed)
        return read
      }
    }
    return try discard()
  }

  /// Frames were read behind lost ones: the gap goes to the writer first, or both are lost.
  private mutating func keepAside(_ read: FramesRead) throws(Source.Failure) -> FramesRead {
    lose(Int(read.lost.value), .overrun)
    if tellPending() {
      frames.commit(read.count)
      captured += read.count
      link.captured.store(captured, ordering: .relaxed)
    } else {
      lose(read.count, .disk)
    }
    return FramesRead(count: read.count)
  }

  /// The ring is full, because the disk is too slow: reads on, so that the device tells the truth, and counts.
  private mutating func discard() throws(Source.Failure) -> FramesRead {
    let read = try Self.read(&source, into: &spare)
    if read.lost > 0 { lose(Int(read.lost.value), .overrun) }
    lose(read.count, .disk)
    return FramesRead(count: read.count)
  }

  private static func read(
    _ source: inout Source, into frames: inout SampleRing.Writer
  ) throws(Source.Failure) -> FramesRead? {
    var room = frames.room()
    return room.byteCount > 0 ? try source.read(into: &room) : nil
  }

  private static func read(
    _ source: inout Source, into spare: inout [UInt8]
  ) throws(Source.Failure) -> FramesRead {
    var bytes = spare.mutableSpan
    var room = unsafe bytes.mutableBytes
    return try source.read(into: &room)
  }

  /// Where the device cannot count, the clock does: what should have come and did not is lost.
  private mutating func account(for frames: Int) {
    let now = KernelClock.bootTime.now
    let passed = FrameCount(now - emptied, at: source.format.rate)
    emptied = now
    let isSuspect = interruption != nil || (!source.countsLostFrames && passed > source.capacity)
    if isSuspect && Int(passed.value) > frames {
      lose(Int(passed.value) - frames, interruption ?? .stalled)
    }
    interruption = nil
  }

  private mutating func lose(_ count: Int, _ cause: Gap.Cause) {
    guard count > 0 else { return }
    if pending.length == 0 {
      pending = GapRecord(position: captured, length: 0, cause: cause.number)
    }
    pending.length += count
    lost += count
    link.lost.store(lost, ordering: .relaxed)
  }

  /// Tells the writer of what was lost; false where it cannot be told yet, and then nothing may follow.
  private mutating func tellPending() -> Bool {
    if pending.length == 0 { return true }
    guard gaps.put(pending) else { return false }
    pending.length = 0
    return true
  }
}

extension CaptureLoop where Source: ~Copyable {
  /// Makes the stream run again after an overrun or a sleep; returns why that cannot be.
  private mutating func recover(from failure: Source.Failure) -> CaptureEnd? {
    switch failure.condition {
    case .xrun: interruption = .overrun
    case .suspended: interruption = .suspended
    case .disconnected: return .disconnected("\(failure)")
    case .failed: return .failed("\(failure)")
    }
    let deadline = KernelClock.monotonic.now + .seconds(5)
    do {
      while try !source.recover() {
        if KernelClock.monotonic.now > deadline { return .failed("\(failure)") }
        _ = try? link.wake.descriptor.wait(upTo: .milliseconds(20))
        if link.isStopping.load(ordering: .acquiring) { return nil }
      }
    } catch {
      return .disconnected("\(error)")
    }
    return nil
  }

  /// Waits for a device that went, where that was asked; false where the capture is over.
  private mutating func resume(after end: CaptureEnd) -> Bool {
    guard let patience else { return false }
    source.stop()
    let deadline = KernelClock.monotonic.now + patience
    while KernelClock.monotonic.now < deadline {
      _ = try? link.wake.descriptor.wait(upTo: .milliseconds(250))
      if link.isStopping.load(ordering: .acquiring) { return true }
      if var next = reopen(), next.format == source.format, (try? next.start()) != nil {
        source = next
        interruption = .disconnected
        return true
      }
    }
    return false
  }

  /// Reads what came until now and ends the stream.
  private mutating func finish(_ end: CaptureEnd) -> CaptureEnd {
    if end == .stopped { _ = try? drain() }
    source.stop()
    if case .stopped = end {} else { loseUntilNow(end) }
    _ = tellPending()
    return end
  }

  private mutating func loseUntilNow(_ end: CaptureEnd) {
    if case .stalled(let silence) = end {
      lose(Int(FrameCount(silence, at: source.format.rate).value), .stalled)
    }
  }
}
