internal import Audio
internal import CALSA
internal import Glibc
internal import Linux

/// ALSA's memory for the status of a stream; made once, so that no call in a running stream allocates.
@safe struct PCMStatus: ~Copyable {
  let pointer: OpaquePointer

  init(for device: String) throws(ALSAError) {
    var made: OpaquePointer?
    try checked("snd_pcm_status_malloc", on: device, unsafe snd_pcm_status_malloc(&made))
    guard let made = unsafe made else {
      throw ALSAError("snd_pcm_status_malloc", device, .noMemory)
    }
    unsafe pointer = made
  }

  deinit { unsafe snd_pcm_status_free(pointer) }

  /// The timing in the last status.
  var timing: StreamTiming {
    var instant = snd_htimestamp_t()
    var started = snd_htimestamp_t()
    unsafe snd_pcm_status_get_htstamp(pointer, &instant)
    unsafe snd_pcm_status_get_trigger_htstamp(pointer, &started)
    let available = unsafe snd_pcm_status_get_avail(pointer)
    return StreamTiming(
      instant: time(instant) ?? KernelClock.monotonic.now, started: time(started),
      available: FrameCount(Int64(clamping: available)),
      delay: FrameCount(unsafe snd_pcm_status_get_delay(pointer)))
  }

  private func time(_ stamp: snd_htimestamp_t) -> Duration? {
    if stamp.tv_sec == 0 && stamp.tv_nsec == 0 { return nil }
    return .seconds(stamp.tv_sec) + .nanoseconds(stamp.tv_nsec)
  }
}
