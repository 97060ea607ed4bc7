package import Audio
internal import CALSA
internal import Linux

extension PCM {
  /// A PCM for capture.
  package struct Capture: ~Copyable, Sendable {
    private let pcm: PCM
    private var laps: LapCounter
    /// The number of frames that were skipped or read since the device was opened. The frames of
    /// whole overwritten buffers are not included, because only `laps` detects these buffers.
    private var taken: FrameCount = 0

    /// Opens and configures the device. It delivers no frames before `start`.
    package init(opening device: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
      pcm = try PCM(opening: device, .capture, request)
      laps = LapCounter(rate: pcm.setup.format.rate, buffer: pcm.setup.buffer)
    }

    /// The negotiated setup.
    package var setup: StreamSetup { pcm.setup }
  }
}

extension PCM.Capture: FrameSource {
  /// The format of the frames from `read`.
  package var format: StreamFormat { setup.format }
  /// The size of the device's buffer in frames.
  package var capacity: FrameCount { setup.buffer }
  /// The number of frames between two wakes.
  package var period: FrameCount { setup.period }
  /// Whether lost frames are counted: true for kernel hardware. A plugin hides its losses.
  package var countsLostFrames: Bool { setup.isKernelHardware }

  /// Starts the capture. The corresponding C function is `snd_pcm_start`.
  package mutating func start() throws(StreamError) { try pcm.start() }
  /// Stops the capture and drops the unread frames.
  package mutating func stop() { pcm.stop() }
  /// Returns the position of the stream and the time at which it was measured.
  package mutating func timing() throws(StreamError) -> StreamTiming { try pcm.timing() }
  /// Returns the position at the last interrupt. A plugin has no interrupts of its own, so its
  /// current position is returned.
  package mutating func lastStep() throws(StreamError) -> StreamTiming {
    try countsLostFrames ? pcm.lastStep() : pcm.timing()
  }

  /// Waits until a period is available, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) throws(StreamError) -> Readiness {
    try pcm.wait(upTo: limit, wake: wake)
  }

  /// Reads the available frames. On kernel hardware, skips and counts the frames that the device
  /// overwrote.
  package mutating func read(into buffer: inout MutableRawSpan) throws(StreamError) -> FramesRead {
    guard countsLostFrames else { return FramesRead(count: try transfer(into: &buffer)) }
    guard let (stand, unseen) = try certainTiming() else { return FramesRead(count: 0) }
    let passed = try passOverwritten(of: stand.available)
    let count = try transfer(into: &buffer)
    taken += passed + FrameCount(count)
    return try isOverwritten(read: count)
      ? FramesRead(count: 0, lost: unseen + passed + FrameCount(count))
      : FramesRead(
        count: count, lost: unseen + passed, isAll: passed + FrameCount(count) >= stand.available)
  }

  /// Restarts a stopped stream. Returns false if another attempt is needed.
  package mutating func recover() throws(StreamError) -> Bool {
    guard try pcm.recover() else { return false }
    laps.restart()
    if pcm.isPrepared { try pcm.start() }
    return true
  }
}

extension PCM.Capture {
  /// The longest wait for a tick of the kernel. The slowest kernels have a hundred ticks per
  /// second.
  private static var longestLook: Duration { .milliseconds(20) }

  /// Skips the frames that the device overwrote, and another period, which the device is about to
  /// overwrite. Returns the number of skipped frames.
  private func passOverwritten(of available: FrameCount) throws(StreamError) -> FrameCount {
    let excess = available - capacity
    if excess <= 0 { return 0 }
    let frames = snd_pcm_uframes_t((excess + setup.period).value)
    let passed = unsafe alsa.pcm_forward(pcm.handle.pointer, frames)
    return FrameCount(try pcm.moved("snd_pcm_forward", passed))
  }

  /// Returns the position of the stream and the number of frames that were lost before it. Returns
  /// nil if this number does not become certain in time.
  private mutating func certainTiming() throws(StreamError) -> (StreamTiming, unseen: FrameCount)? {
    let began = KernelClock.monotonic.now
    repeat {
      let ticked = KernelClock.tick.now
      let stand = try pcm.timing()
      let position = taken + stand.available
      if let unseen = laps.missing(at: position, stand.instant, ticked: ticked) {
        return (stand, unseen)
      }
    } while KernelClock.monotonic.now - began < Self.longestLook
    return nil
  }

  /// Whether the copied frames may be invalid, because the device overwrote them before they were
  /// copied. Also true if this cannot be excluded in time.
  private func isOverwritten(read count: Int) throws(StreamError) -> Bool {
    let began = KernelClock.monotonic.now
    repeat {
      let ticked = KernelClock.tick.now
      let stand = try pcm.timing()
      if stand.available + FrameCount(count) > capacity { return true }
      let position = taken + stand.available
      if let laps = laps.laps(at: position, stand.instant, ticked: ticked) { return laps > 0 }
    } while KernelClock.monotonic.now - began < Self.longestLook
    return true
  }

  /// The corresponding C function is `snd_pcm_readi`.
  private func transfer(into buffer: inout MutableRawSpan) throws(StreamError) -> Int {
    let frames = snd_pcm_uframes_t(buffer.byteCount / format.bytesPerFrame)
    let result = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe alsa.pcm_readi(pcm.handle.pointer, bytes.baseAddress, frames)
    }
    return try pcm.moved("snd_pcm_readi", result)
  }
}
