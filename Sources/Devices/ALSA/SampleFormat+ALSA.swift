internal import Audio
internal import CALSA

extension SampleFormat {
  /// ALSA's number for it.
  var alsa: snd_pcm_format_t {
    switch self {
    case .int16: SND_PCM_FORMAT_S16_LE
    case .int24Packed: SND_PCM_FORMAT_S24_3LE
    case .int24: SND_PCM_FORMAT_S24_LE
    case .int32: SND_PCM_FORMAT_S32_LE
    case .float32: SND_PCM_FORMAT_FLOAT_LE
    case .float64: SND_PCM_FORMAT_FLOAT64_LE
    }
  }

  init?(_ format: snd_pcm_format_t) {
    guard let match = Self.allCases.first(where: { $0.alsa == format }) else { return nil }
    self = match
  }
}
