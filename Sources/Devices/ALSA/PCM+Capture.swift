package import Audio
internal import CALSA
internal import Linux

extension PCM {
  /// A PCM that records.
  package struct Capture: ~Copyable, Sendable {
    private let pcm: PCM
    private var laps: LapCounter
    /// Frames skipped or read since the stream started, as far as the kernel knows.
    private var taken: FrameCount = 0

    /// Opens and configures it; no frames flow before `start`.
    package init(opening device: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
      pcm = try PCM(opening: device, .capture, request)
      laps = LapCounter(rate: pcm.setup.format.rate, buffer: pcm.setup.buffer)
    }

    /// The setup that was negotiated.
    package var setup: StreamSetup { pcm.setup }

    /// Gives the device up without closing it, for a frozen sound server that would never let it close.
    package consuming func abandon() { pcm.abandon() }
  }
}

extension PCM.Capture: FrameSource {
  /// The format of the frames that `read` delivers.
  package var format: StreamFormat { setup.format }
  /// The frames that the device's buffer holds.
  package var capacity: FrameCount { setup.buffer }
  /// The frames between two wakes.
  package var period: FrameCount { setup.period }
  /// True on kernel hardware; a plugin hides its losses.
  package var countsLostFrames: Bool { setup.isKernelHardware }

  /// Starts the capture. The corresponding C function is `snd_pcm_start`.
  package mutating func start() throws(ALSAError) { try pcm.start() }
  /// Stops the capture and drops the frames that were not read.
  package mutating func stop() { pcm.stop() }
  /// The position of the stream, with the instant at which it was taken.
  package mutating func timing() throws(ALSAError) -> StreamTiming { try pcm.timing() }

  /// Waits until a period is there, `wake` becomes readable or `limit` has passed.
  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try pcm.wait(upTo: limit, wake: wake)
  }

  /// Reads the frames that are there; on kernel hardware those that the device overwrote are skipped and counted.
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

  /// Makes a stopped stream run again; false where that needs another attempt.
  package mutating func recover() throws(ALSAError) -> Bool {
    guard try pcm.recover() else { return false }
    laps.restart()
    if pcm.isPrepared { try pcm.start() }
    return true
  }
}

extension PCM.Capture {
  /// The longest wait for a tick of the kernel: the slowest has a hundred a second.
  private static var longestLook: Duration { .milliseconds(20) }

  /// Skips the frames that the device overwrote, and one period more, which it is about to overwrite.
  private func passOverwritten(of available: FrameCount) throws(ALSAError) -> FrameCount {
    let excess = available - capacity
    if excess <= 0 { return 0 }
    let frames = snd_pcm_uframes_t((excess + setup.period).value)
    let passed = unsafe snd_pcm_forward(pcm.handle.pointer, frames)
    return FrameCount(try pcm.moved("snd_pcm_forward", passed))
  }

  /// The position of the stream and the frames missed before it, once they are certain; nil if they are not in time.
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

  /// True if the device lapped the reader between looking and copying: then the copied frames are not audio.
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
