internal import CALSA
internal import Linux

/// The settings by which a configured PCM wakes, starts, stops and takes the time.
@safe struct SoftwareParameters: ~Copyable {
  private let pointer: OpaquePointer
  /// Borrowed: the parameters never outlive the opening of their PCM.
  private let pcm: OpaquePointer
  private let device: String

  init(of handle: borrowing PCMHandle) throws(ALSAError) {
    var made: OpaquePointer?
    try unsafe checked(
      "snd_pcm_sw_params_malloc", on: handle.device, snd_pcm_sw_params_malloc(&made))
    guard let made = unsafe made else {
      throw ALSAError("snd_pcm_sw_params_malloc", handle.device, .noMemory)
    }
    unsafe pointer = made
    unsafe pcm = handle.pointer
    device = handle.device
  }

  deinit { unsafe snd_pcm_sw_params_free(pointer) }

  /// Wakes once a period, starts on request only, stamps by CLOCK_MONOTONIC.
  ///
  /// - Parameter runsOn: true never stops on an overrun, so that the rest of the buffer can be read
  ///   and the lost frames can be counted exactly.
  func install(period: snd_pcm_uframes_t, runsOn: Bool) throws(ALSAError) {
    try take("_current", unsafe snd_pcm_sw_params_current(pcm, pointer))
    var boundary: snd_pcm_uframes_t = 0
    try take("_get_boundary", unsafe snd_pcm_sw_params_get_boundary(pointer, &boundary))
    try take("_set_avail_min", unsafe snd_pcm_sw_params_set_avail_min(pcm, pointer, period))
    try take(
      "_set_start_threshold", unsafe snd_pcm_sw_params_set_start_threshold(pcm, pointer, boundary))
    if runsOn {
      try take(
        "_set_stop_threshold", unsafe snd_pcm_sw_params_set_stop_threshold(pcm, pointer, boundary))
    }
    try take(
      "_set_tstamp_mode",
      unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, pointer, SND_PCM_TSTAMP_ENABLE))
    try take(
      "_set_tstamp_type",
      unsafe snd_pcm_sw_params_set_tstamp_type(pcm, pointer, SND_PCM_TSTAMP_TYPE_MONOTONIC))
    try take("", unsafe snd_pcm_sw_params(pcm, pointer))
  }

  private func take(_ step: String, _ result: CInt) throws(ALSAError) {
    try checked("snd_pcm_sw_params" + step, on: device, result)
  }
}
