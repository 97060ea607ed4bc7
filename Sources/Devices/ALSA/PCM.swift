internal import Audio
internal import CALSA
internal import Glibc
internal import Linux

/// An open and configured ALSA PCM. `Capture` and `Playback` are its two uses.
///
/// Unchecked: one thread owns it at a time. The owner may pass it to another thread, because
/// alsa-lib allows this.
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
    // PipeWire's plugin offers 64 channels for every microphone. The channels that the microphone
    // does not have are copies of its channel if it is mono, and silent otherwise.
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
    setup.cards = [handle.card()]
    setup.isPipeWire = base == .pipeWire
    let room = direction == .playback ? BufferFill(of: setup).wakingRoom : nil
    try unfailing(
      SoftwareParameters(of: handle).install(
        wakingAt: room ?? setup.period, runsOn: isKernelHardware && direction == .capture))
    return setup
  }

  /// Returns the default microphone of PipeWire, or nil if the device does not record this
  /// microphone. Also returns nil if at most two channels are wanted: then asking PipeWire for the
  /// number of the microphone's channels is not worth the time.
  private static func microphone(
    behind handle: borrowing PCMHandle, _ request: DeviceRequest
  ) -> PipeWireNode? {
    guard request.channels.value > .stereo, handle.base() == .pipeWire else { return nil }
    let nodes = try? PipeWireDump.graph().nodes(.capture)
    return nodes?.first { $0.defaults.contains(.capture) }
  }
}

extension Capabilities {
  /// Opens an ALSA device, reads its capabilities and closes it. Throws the same errors as opening
  /// the device.
  package init(of device: String, _ direction: Direction) throws(DeviceError) {
    _ = try NodeName(device)?.verified(direction)
    let handle = try PCM.handle(of: device, direction)
    self = try unfailing(HardwareParameters.all(of: handle)).capabilities()
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

  /// Sets the number of available or free frames at which a wait ends. The change takes effect at
  /// the next `recover`.
  func wake(at frames: FrameCount) throws(StreamError) {
    try SoftwareParameters(of: handle).install(wakingAt: frames)
  }

  var hasRunDry: Bool { state == SND_PCM_STATE_XRUN }

  /// Returns the number of frames that can be read or written now. The corresponding C function is
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

  /// Returns the position at the last interrupt, or at a later call that asked the driver for the
  /// position. In the second case, the time is late if the position moves in steps. The
  /// corresponding C function is `snd_pcm_htimestamp`.
  func lastStep() throws(StreamError) -> StreamTiming {
    var (available, stamp): (snd_pcm_uframes_t, snd_htimestamp_t) = (0, snd_htimestamp_t())
    guard unsafe alsa.pcm_htimestamp(handle.pointer, &available, &stamp) >= 0,
      let instant = PCMStatus.time(stamp)
    else { return try timing() }
    let frames = FrameCount(Int64(clamping: available))
    return StreamTiming(instant: instant, available: frames, delay: frames)
  }

  /// Prepares a stopped stream. Returns true if it is prepared, or if it runs again by itself.
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

  /// Returns the number of frames that a call has read, written or skipped, from the result of the
  /// call. The error “try again” counts as 0 frames.
  func moved(_ function: String, _ result: snd_pcm_sframes_t) throws(StreamError) -> Int {
    if result >= 0 { return result }
    let error = StreamError(function, handle.device, code: CInt(result))
    if error.errno == .wouldBlock { return 0 }
    throw error
  }
}
