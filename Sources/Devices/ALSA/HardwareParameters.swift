internal import Audio
internal import CALSA
internal import Linux

/// The configurations that a PCM still allows; each `set` leaves fewer.
@safe struct HardwareParameters: ~Copyable {
  let pointer: OpaquePointer
  /// Borrowed: the parameters never outlive the opening of their PCM.
  let pcm: OpaquePointer
  let device: String

  init(of handle: borrowing PCMHandle) throws(ALSAError) {
    var made: OpaquePointer?
    try unsafe checked(
      "snd_pcm_hw_params_malloc", on: handle.device, snd_pcm_hw_params_malloc(&made))
    guard let made = unsafe made else {
      throw ALSAError("snd_pcm_hw_params_malloc", handle.device, .noMemory)
    }
    unsafe pointer = made
    unsafe pcm = handle.pointer
    device = handle.device
  }

  deinit { unsafe snd_pcm_hw_params_free(pointer) }

  /// Allows every configuration of the device.
  func reset() throws(ALSAError) {
    try unsafe checked("snd_pcm_hw_params_any", on: device, snd_pcm_hw_params_any(pcm, pointer))
  }

  /// Configures the device with one of the remaining configurations.
  func install() throws(ALSAError) {
    try unsafe checked("snd_pcm_hw_params", on: device, snd_pcm_hw_params(pcm, pointer))
  }

  func setInterleaved() throws(ALSAError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_access", on: device,
      snd_pcm_hw_params_set_access(pcm, pointer, SND_PCM_ACCESS_RW_INTERLEAVED))
  }

  func set(_ rate: SampleRate) throws(ALSAError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_rate", on: device,
      snd_pcm_hw_params_set_rate(pcm, pointer, CUnsignedInt(rate.hertz), 0))
  }

  func set(_ channels: ChannelCount) throws(ALSAError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_channels", on: device,
      snd_pcm_hw_params_set_channels(pcm, pointer, CUnsignedInt(channels.value)))
  }

  func set(_ format: SampleFormat) throws(ALSAError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_format", on: device,
      snd_pcm_hw_params_set_format(pcm, pointer, format.alsa))
  }

  /// Keeps only the buffers up to `limit`; a device without such small ones keeps its own.
  func limitBuffer(to limit: FrameCount) {
    var frames = snd_pcm_uframes_t(limit.value)
    _ = unsafe snd_pcm_hw_params_set_buffer_size_max(pcm, pointer, &frames)
  }

  func set(near period: FrameCount, buffer: FrameCount) throws(ALSAError) {
    var frames = snd_pcm_uframes_t(period.value)
    try unsafe checked(
      "snd_pcm_hw_params_set_period_size_near", on: device,
      snd_pcm_hw_params_set_period_size_near(pcm, pointer, &frames, nil))
    frames = snd_pcm_uframes_t(buffer.value)
    try unsafe checked(
      "snd_pcm_hw_params_set_buffer_size_near", on: device,
      snd_pcm_hw_params_set_buffer_size_near(pcm, pointer, &frames))
  }
}
