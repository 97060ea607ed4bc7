internal import Audio
internal import CALSA
internal import Glibc
internal import Linux

/// The calls that capture and playback share.
extension PCM {
  var state: snd_pcm_state_t { unsafe snd_pcm_state(handle.pointer) }

  var isPrepared: Bool { state == SND_PCM_STATE_PREPARED }

  /// The corresponding C function is `snd_pcm_start`.
  func start() throws(ALSAError) {
    try checked("snd_pcm_start", on: handle.device, unsafe snd_pcm_start(handle.pointer))
  }

  /// The corresponding C function is `snd_pcm_drop`, which has nothing to stop where it fails.
  func stop() { unsafe snd_pcm_drop(handle.pointer) }

  func wait(upTo limit: Duration, wake: CInt) throws(ALSAError) -> Readiness {
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

  private func throwIfStopped() throws(ALSAError) {
    switch state {
    case SND_PCM_STATE_XRUN: throw fact(.brokenPipe)
    case SND_PCM_STATE_SUSPENDED: throw fact(.streamPipe)
    case SND_PCM_STATE_DISCONNECTED: throw fact(.noDevice)
    default: return
    }
  }

  private func fact(_ errno: Errno) -> ALSAError {
    ALSAError("snd_pcm_state", handle.device, errno)
  }

  /// The corresponding C function is `snd_pcm_status`.
  func timing() throws(ALSAError) -> StreamTiming {
    try checked(
      "snd_pcm_status", on: handle.device, unsafe snd_pcm_status(handle.pointer, status.pointer))
    return status.timing
  }

  /// Prepares a stream that stopped; true once it is prepared or runs again by itself.
  func recover() throws(ALSAError) -> Bool {
    switch state {
    case SND_PCM_STATE_DISCONNECTED: throw fact(.noDevice)
    case SND_PCM_STATE_SUSPENDED: return try resume()
    case SND_PCM_STATE_RUNNING, SND_PCM_STATE_PREPARED: return true
    default:
      try prepare()
      return true
    }
  }

  /// The corresponding C function is `snd_pcm_resume`; a driver without it starts afresh.
  private func resume() throws(ALSAError) -> Bool {
    let result = unsafe snd_pcm_resume(handle.pointer)
    if result == 0 { return true }
    let error = ALSAError("snd_pcm_resume", handle.device, code: result)
    switch error.errno {
    case .wouldBlock: return false
    case .notImplemented:
      try prepare()
      return true
    default: throw error
    }
  }

  private func prepare() throws(ALSAError) {
    try checked("snd_pcm_prepare", on: handle.device, unsafe snd_pcm_prepare(handle.pointer))
  }

  /// The frames moved by a call with such a result, in which none and “try again” are the same.
  func moved(_ function: String, _ result: snd_pcm_sframes_t) throws(ALSAError) -> Int {
    if result >= 0 { return result }
    let error = ALSAError(function, handle.device, code: CInt(result))
    if error.errno == .wouldBlock { return 0 }
    throw error
  }
}
