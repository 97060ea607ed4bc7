package import Audio
internal import CALSA
internal import Glibc
internal import Linux

/// An open and configured ALSA PCM. `Capture` and `Playback` are its two uses.
///
/// One thread owns it at a time and may hand it to another thread, which alsa-lib allows.
package struct PCM: ~Copyable, @unchecked Sendable {
  let handle: PCMHandle
  /// The negotiated setup.
  package let setup: StreamSetup
  private let polls: PollDescriptors
  private let status: PCMStatus

  init(
    opening device: String, _ direction: Direction, _ request: DeviceRequest
  ) throws(DeviceError) {
    let node = try NodeName(device)?.verified(direction)
    let handle = try Self.handle(of: device, direction)
    var setup = try Self.configure(handle, direction, request, node)
    setup.title = node?.title
    let polls = try unfailing(PollDescriptors(of: handle))
    let status = try unfailing(PCMStatus(for: device))
    self.setup = setup
    self.polls = polls
    self.status = status
    self.handle = handle
  }

  /// Opens a device by its name.
  static func handle(
    of device: String, _ direction: Direction
  ) throws(DeviceError) -> PCMHandle {
    try mapError(
      { NodeName.mistaken(device, direction) ?? DeviceError(opening: $0, direction) },
      PCMHandle(opening: device, direction))
  }

  private static func configure(
    _ handle: borrowing PCMHandle, _ direction: Direction, _ request: DeviceRequest,
    _ node: PipeWireNode?
  ) throws(DeviceError) -> StreamSetup {
    let parameters = try unfailing(HardwareParameters.all(of: handle))
    // PipeWire's plugin offers 64 channels of every microphone. It copies a single one, and fills
    // those that the microphone does not have with silence.
    if direction == .capture, let node = node ?? Self.microphone(behind: handle, request) {
      if let channels = node.capabilities?.channels {
        parameters.limitChannels(to: channels.upperBound)
      }
    }
    let able = parameters.capabilities()
    let mayTakeBack = request.stretch > 1 && handle.base() == .pipeWire
    try parameters.narrow(to: mayTakeBack ? request.stretched : request, able)
    let base = handle.base()
    let isKernelHardware = base == .kernelHardware
    guard var setup = parameters.setup(isKernelHardware: isKernelHardware) else {
      throw .failed(StreamError("snd_pcm_hw_params", handle.device, .invalid))
    }
    setup.card = handle.card()
    setup.isPipeWire = base == .pipeWire
    let room = direction == .playback ? BufferFill(of: setup).wakingRoom : nil
    try unfailing(
      SoftwareParameters(of: handle).install(
        wakingAt: room ?? setup.period, runsOn: isKernelHardware && direction == .capture))
    return setup
  }

  /// Returns the default microphone of PipeWire if the device records it, and if more channels are
  /// wanted than most microphones have. Only then is it worth the time of the request.
  private static func microphone(
    behind handle: borrowing PCMHandle, _ request: DeviceRequest
  ) -> PipeWireNode? {
    guard request.channels.value > .stereo, handle.base() == .pipeWire else { return nil }
    let nodes = try? PipeWireDump.graph().nodes(.capture)
    return nodes?.first { $0.defaults.contains(.capture) }
  }
}

/// The calls that capture and playback share.
extension PCM {
  private var state: snd_pcm_state_t { unsafe alsa.pcm_state(handle.pointer) }

  var isPrepared: Bool { state == SND_PCM_STATE_PREPARED }

  /// The corresponding C function is `snd_pcm_start`.
  func start() throws(StreamError) {
    try checked("snd_pcm_start", on: handle.device, unsafe alsa.pcm_start(handle.pointer))
  }

  /// The corresponding C function is `snd_pcm_drop`. If it fails, there is nothing to stop.
  func stop() { _ = unsafe alsa.pcm_drop(handle.pointer) }

  /// Sets the number of frames that ends a wait. It applies from the next `recover` on.
  func wake(at frames: FrameCount) throws(StreamError) {
    try SoftwareParameters(of: handle).install(wakingAt: frames)
  }

  var hasRunDry: Bool { state == SND_PCM_STATE_XRUN }

  /// Returns the number of frames that can be moved now. The corresponding C function is
  /// `snd_pcm_avail_update`.
  func available() throws(StreamError) -> FrameCount {
    let frames = unsafe alsa.pcm_avail_update(handle.pointer)
    return FrameCount(try moved("snd_pcm_avail_update", frames))
  }

  func wait(upTo limit: Duration, wake: CInt) throws(StreamError) -> Readiness {
    let deadline = KernelClock.monotonic.now + limit
    while true {
      let left = deadline - KernelClock.monotonic.now
      switch try polls.wait(for: handle, wake: wake, upTo: left) {
      case .woken: return .woken
      case .nothing: if left <= .zero { return .timedOut }
      case .events(let events):
        try throwIfStopped()
        if events & Int16(POLLIN | POLLOUT) != 0 { return .ready }
        // A running stream with a broken descriptor has lost its device.
        if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { throw fact(.noDevice) }
        if left <= .zero { return .timedOut }
      }
    }
  }

  private func throwIfStopped() throws(StreamError) {
    switch state {
    case SND_PCM_STATE_XRUN: throw fact(.brokenPipe)
    case SND_PCM_STATE_SUSPENDED: throw fact(.streamPipe)
    case SND_PCM_STATE_DISCONNECTED: throw fact(.noDevice)
    default: return
    }
  }

  private func fact(_ errno: Errno) -> StreamError {
    StreamError("snd_pcm_state", handle.device, errno)
  }

  /// The corresponding C function is `snd_pcm_status`.
  func timing() throws(StreamError) -> StreamTiming {
    try checked(
      "snd_pcm_status", on: handle.device, unsafe alsa.pcm_status(handle.pointer, status.pointer))
    return status.timing
  }

  /// Prepares a stream that stopped. Returns true once it is prepared or runs again by itself.
  func recover() throws(StreamError) -> Bool {
    switch state {
    case SND_PCM_STATE_DISCONNECTED: throw fact(.noDevice)
    case SND_PCM_STATE_SUSPENDED: return try resume()
    case SND_PCM_STATE_RUNNING, SND_PCM_STATE_PREPARED: return true
    default:
      try prepare()
      return true
    }
  }

  /// The corresponding C function is `snd_pcm_resume`. If the driver does not implement it, the
  /// stream is prepared again instead.
  private func resume() throws(StreamError) -> Bool {
    let result = unsafe alsa.pcm_resume(handle.pointer)
    if result == 0 { return true }
    let error = StreamError("snd_pcm_resume", handle.device, code: result)
    switch error.errno {
    case .wouldBlock: return false
    case .notImplemented:
      try prepare()
      return true
    default: throw error
    }
  }

  private func prepare() throws(StreamError) {
    try checked("snd_pcm_prepare", on: handle.device, unsafe alsa.pcm_prepare(handle.pointer))
  }

  /// Returns the number of frames that a call moved, from its result. “Try again” counts as 0
  /// frames.
  func moved(_ function: String, _ result: snd_pcm_sframes_t) throws(StreamError) -> Int {
    if result >= 0 { return result }
    let error = StreamError(function, handle.device, code: CInt(result))
    if error.errno == .wouldBlock { return 0 }
    throw error
  }
}

extension PCM {
  /// A PCM for capture.
  package struct Capture: ~Copyable, Sendable {
    private let pcm: PCM
    private var laps: LapCounter
    /// The number of frames skipped or read since the stream started, as far as the kernel knows.
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

  /// Waits until a period is available, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) throws(StreamError) -> Readiness {
    try pcm.wait(upTo: limit, wake: wake)
  }

  /// Reads the available frames. On kernel hardware, it skips and counts the frames that the device
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

  /// Skips the frames that the device overwrote, and one period more, which it is about to
  /// overwrite. Returns the number of skipped frames.
  private func passOverwritten(of available: FrameCount) throws(StreamError) -> FrameCount {
    let excess = available - capacity
    if excess <= 0 { return 0 }
    let frames = snd_pcm_uframes_t((excess + setup.period).value)
    let passed = unsafe alsa.pcm_forward(pcm.handle.pointer, frames)
    return FrameCount(try pcm.moved("snd_pcm_forward", passed))
  }

  /// Returns the position of the stream and the number of frames missed before it. Returns nil if
  /// they do not become certain in time.
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

  /// Whether the device lapped the reader between the check and the copy. The copied frames are
  /// then not audio.
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
