internal import Audio
internal import CALSA

extension HardwareParameters {
  /// The capabilities that the configuration still allows.
  func capabilities() -> Capabilities {
    let named = formats()
    return Capabilities(
      rates: rates(), commonRates: commonRates(), channels: channels(),
      formats: named.compactMap { SampleFormat($0) },
      otherFormats: named.filter { SampleFormat($0) == nil }.map { name(of: $0) })
  }

  func allows(_ rate: SampleRate) -> Bool {
    unsafe snd_pcm_hw_params_test_rate(pcm, pointer, CUnsignedInt(rate.hertz), 0) == 0
  }

  func allows(_ channels: ChannelCount) -> Bool {
    unsafe snd_pcm_hw_params_test_channels(pcm, pointer, CUnsignedInt(channels.value)) == 0
  }

  func commonRates() -> [SampleRate] {
    Capabilities.customaryRates.compactMap(SampleRate.init).filter { allows($0) }
  }

  func rates() -> ClosedRange<Int> {
    var least: CUnsignedInt = 0
    var most: CUnsignedInt = 0
    // 1 and −1 mean that the end itself is outside.
    var beyondLeast: CInt = 0
    var beyondMost: CInt = 0
    _ = unsafe snd_pcm_hw_params_get_rate_min(pointer, &least, &beyondLeast)
    _ = unsafe snd_pcm_hw_params_get_rate_max(pointer, &most, &beyondMost)
    let lowest = Int(least) + Int(beyondLeast)
    return lowest...max(lowest, Int(most) + Int(beyondMost))
  }

  func channels() -> ClosedRange<Int> {
    var least: CUnsignedInt = 0
    var most: CUnsignedInt = 0
    _ = unsafe snd_pcm_hw_params_get_channels_min(pointer, &least)
    _ = unsafe snd_pcm_hw_params_get_channels_max(pointer, &most)
    return Int(least)...max(Int(least), Int(most))
  }

  func formats() -> [snd_pcm_format_t] {
    (0...SND_PCM_FORMAT_LAST.rawValue).map { snd_pcm_format_t(rawValue: $0) }
      .filter { unsafe snd_pcm_hw_params_test_format(pcm, pointer, $0) == 0 }
  }

  func largestBuffer() -> FrameCount {
    var frames: snd_pcm_uframes_t = 0
    _ = unsafe snd_pcm_hw_params_get_buffer_size_max(pointer, &frames)
    return FrameCount(Int64(clamping: frames))
  }

  private func name(of format: snd_pcm_format_t) -> String {
    guard let name = unsafe snd_pcm_format_name(format) else { return "?" }
    return unsafe String(cString: name)
  }

  /// The installed configuration; nil where this program cannot describe it.
  func setup(isKernelHardware: Bool) -> StreamSetup? {
    var rate: CUnsignedInt = 0
    var channels: CUnsignedInt = 0
    var sample = SND_PCM_FORMAT_UNKNOWN
    var period: snd_pcm_uframes_t = 0
    var buffer: snd_pcm_uframes_t = 0
    _ = unsafe snd_pcm_hw_params_get_rate(pointer, &rate, nil)
    _ = unsafe snd_pcm_hw_params_get_channels(pointer, &channels)
    _ = unsafe snd_pcm_hw_params_get_format(pointer, &sample)
    _ = unsafe snd_pcm_hw_params_get_period_size(pointer, &period, nil)
    _ = unsafe snd_pcm_hw_params_get_buffer_size(pointer, &buffer)
    guard let rate = SampleRate(Int(rate)), let channels = ChannelCount(Int(channels)),
      let sample = SampleFormat(sample)
    else { return nil }
    return StreamSetup(
      device: device, format: StreamFormat(rate: rate, channels: channels, sample: sample),
      period: FrameCount(Int64(clamping: period)), buffer: FrameCount(Int64(clamping: buffer)),
      isKernelHardware: isKernelHardware)
  }
}
