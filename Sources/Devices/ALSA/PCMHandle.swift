internal import CALSA
internal import Linux

/// An open PCM of ALSA's, closed with its owner.
///
/// Always non-blocking, and with every conversion of `plug` off: the device's own rate, channels and sample format
/// reach the program, which converts better and reports it.
@safe struct PCMHandle: ~Copyable {
  let pointer: OpaquePointer
  let device: String
  private var isAbandoned = false

  /// The corresponding C function is `snd_pcm_open`.
  init(opening device: String, _ direction: Direction) throws(ALSAError) {
    ALSA.silence()
    let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
    var opened: OpaquePointer?
    let result = unsafe snd_pcm_open(&opened, device, stream, Self.mode)
    try checked("snd_pcm_open", on: device, result)
    guard let opened = unsafe opened else {
      throw ALSAError("snd_pcm_open", device, .noDevice)
    }
    unsafe pointer = opened
    self.device = device
  }

  deinit {
    if !isAbandoned { unsafe snd_pcm_close(pointer) }
  }

  /// Gives it up without closing: the close of a device can wait for ever if its sound server is frozen.
  consuming func abandon() { isAbandoned = true }

  private static var mode: CInt {
    CInt(SND_PCM_NONBLOCK) | CInt(SND_PCM_NO_AUTO_RESAMPLE) | CInt(SND_PCM_NO_AUTO_CHANNELS)
      | CInt(SND_PCM_NO_AUTO_FORMAT)
  }
}
