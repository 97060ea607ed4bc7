package import Audio
internal import CALSA
internal import Linux

extension PCM {
  /// A PCM that records.
  package struct Capture: ~Copyable, Sendable {
    private let pcm: PCM
    private var laps: LapCounter
    /// Frames passed over or read since the stream started, so far as the kernel knows.
    private var taken: FrameCount = 0

    /// Opens and configures it; nothing flows before `start`.
    package init(opening device: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
      pcm = try PCM(opening: device, .capture, request)
      laps = LapCounter(rate: pcm.setup.format.rate, buffer: pcm.setup.buffer)
    }

    /// What was negotiated.
    package var setup: StreamSetup { pcm.setup }

    /// Gives the device up without closing it, for when a frozen sound server would never let it close.
    package consuming func abandon() { pcm.abandon() }
  }
}

extension PCM.Capture: FrameSource {
  package var format: StreamFormat { setup.format }
  package var capacity: FrameCount { setup.buffer }
  package var period: FrameCount { setup.period }
  package var countsLostFrames: Bool { setup.isKernelHardware }

  package mutating func start() throws(ALSAError) { try pcm.start() }
  package mutating func stop() { pcm.stop() }
  package mutating func timing() throws(ALSAError) -> StreamTiming { try pcm.timing() }

  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try pcm.wait(upTo: limit, wake: wake)
  }

  /// Reads what is there; on kernel hardware the frames that the device overwrote first are passed over and counted.
  package mutating func read(into buffer: inout MutableRawSpan) throws(ALSAError) -> FramesRead {
    guard countsLostFrames else { return FramesRead(count: try transfer(into: &buffer)) }
    guard let (stand, unseen) = try look() else { return FramesRead(count: 0) }
    let passed = try passOverwritten(of: stand.available)
    let count = try transfer(into: &buffer)
    taken += passed + FrameCount(count)
    return try isOverwritten(read: count)
      ? FramesRead(count: 0, lost: unseen + passed + FrameCount(count))
      : FramesRead(count: count, lost: unseen + passed)
  }

  package mutating func recover() throws(ALSAError) -> Bool {
    guard try pcm.recover() else { return false }
    laps.restart()
    if pcm.isPrepared { try pcm.start() }
    return true
  }
}

extension PCM.Capture {
  /// How long a tick of the kernel is waited for: the slowest has a hundred a second.
  private static var longestLook: Duration { .milliseconds(20) }

  /// Leaves behind what the device wrote over, and one period more, which it is about to write over.
  private func passOverwritten(of available: FrameCount) throws(ALSAError) -> FrameCount {
    let excess = available - capacity
    if excess <= 0 { return 0 }
    let frames = snd_pcm_uframes_t((excess + setup.period).value)
    let passed = unsafe snd_pcm_forward(pcm.handle.pointer, frames)
    return FrameCount(try pcm.moved("snd_pcm_forward", passed))
  }

  /// Where the stream stands and what went by unseen, once that can be told; nil where it cannot in time.
  private mutating func look() throws(ALSAError) -> (StreamTiming, unseen: FrameCount)? {
    let began = KernelClock.monotonic.now
    repeat {
      let ticked = KernelClock.tick.now
      let stand = try pcm.timing()
      let place = taken + stand.available
      if let unseen = laps.missing(at: place, stand.instant, ticked: ticked) {
        return (stand, unseen)
      }
    } while KernelClock.monotonic.now - began < Self.longestLook
    return nil
  }

  /// Whether a pause between looking and copying let the device lap us: then what was copied is no sound.
  private func isOverwritten(read count: Int) throws(ALSAError) -> Bool {
    let began = KernelClock.monotonic.now
    repeat {
      let ticked = KernelClock.tick.now
      let stand = try pcm.timing()
      if stand.available + FrameCount(count) > capacity { return true }
      let place = taken + stand.available
      if let laps = laps.laps(at: place, stand.instant, ticked: ticked) { return laps > 0 }
    } while KernelClock.monotonic.now - began < Self.longestLook
    return true
  }

  /// The corresponding C function is `snd_pcm_readi`.
  private func transfer(into buffer: inout MutableRawSpan) throws(ALSAError) -> Int {
    let frames = snd_pcm_uframes_t(buffer.byteCount / format.bytesPerFrame)
    let result = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe snd_pcm_readi(pcm.handle.pointer, bytes.baseAddress, frames)
    }
    return try pcm.moved("snd_pcm_readi", result)
  }
}
