internal import Audio
internal import CALSA
internal import Linux

/// The configurations that a PCM still allows. Each `set` call reduces them.
@safe struct HardwareParameters: ~Copyable {
  private let pointer: OpaquePointer
  /// Borrowed from the handle, which outlives these parameters.
  private let pcm: OpaquePointer
  let device: String

  private init(of handle: borrowing PCMHandle) throws(StreamError) {
    var made: OpaquePointer?
    try unsafe checked(
      "snd_pcm_hw_params_malloc", on: handle.device, alsa.pcm_hw_params_malloc(&made))
    guard let made = unsafe made else {
      throw StreamError("snd_pcm_hw_params_malloc", handle.device, .noMemory)
    }
    unsafe pointer = made
    unsafe pcm = handle.pointer
    device = handle.device
  }

  deinit { unsafe alsa.pcm_hw_params_free(pointer) }

  /// Returns every configuration of a device.
  static func all(of handle: borrowing PCMHandle) throws(StreamError) -> HardwareParameters {
    let all = try HardwareParameters(of: handle)
    try unsafe checked(
      "snd_pcm_hw_params_any", on: all.device, alsa.pcm_hw_params_any(all.pcm, all.pointer))
    return all
  }

  /// Configures the device with one of the remaining configurations.
  func install() throws(StreamError) {
    try unsafe checked("snd_pcm_hw_params", on: device, alsa.pcm_hw_params(pcm, pointer))
  }

  private func setInterleaved() throws(StreamError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_access", on: device,
      alsa.pcm_hw_params_set_access(pcm, pointer, SND_PCM_ACCESS_RW_INTERLEAVED))
  }

  private func set(_ rate: SampleRate) throws(StreamError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_rate", on: device,
      alsa.pcm_hw_params_set_rate(pcm, pointer, CUnsignedInt(rate.hertz), 0))
  }

  private func set(_ channels: ChannelCount) throws(StreamError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_channels", on: device,
      alsa.pcm_hw_params_set_channels(pcm, pointer, CUnsignedInt(channels.value)))
  }

  private func set(_ format: SampleFormat) throws(StreamError) {
    try unsafe checked(
      "snd_pcm_hw_params_set_format", on: device,
      alsa.pcm_hw_params_set_format(pcm, pointer, format.alsa))
  }

  /// Limits the number of channels to `limit`, the number that the recorded microphone has.
  func limitChannels(to limit: Int) {
    var channels = CUnsignedInt(limit)
    _ = unsafe alsa.pcm_hw_params_set_channels_max(pcm, pointer, &channels)
  }

  /// Limits the buffer to `limit` frames. Changes nothing if all buffers of the device are larger.
  private func limitBuffer(to limit: FrameCount) {
    var frames = snd_pcm_uframes_t(limit.value)
    _ = unsafe alsa.pcm_hw_params_set_buffer_size_max(pcm, pointer, &frames)
  }

  private func set(near period: FrameCount, buffer: FrameCount) throws(StreamError) {
    var frames = snd_pcm_uframes_t(period.value)
    try unsafe checked(
      "snd_pcm_hw_params_set_period_size_near", on: device,
      alsa.pcm_hw_params_set_period_size_near(pcm, pointer, &frames, nil))
    frames = snd_pcm_uframes_t(buffer.value)
    try unsafe checked(
      "snd_pcm_hw_params_set_buffer_size_near", on: device,
      alsa.pcm_hw_params_set_buffer_size_near(pcm, pointer, &frames))
  }
}

extension HardwareParameters {
  /// Returns the capabilities that the remaining configurations allow.
  func capabilities() -> Capabilities {
    let named = formats()
    return Capabilities(
      rates: rates(), commonRates: commonRates(), channels: channels(),
      formats: named.compactMap { SampleFormat($0) },
      otherFormats: named.filter { SampleFormat($0) == nil }.map { name(of: $0) })
  }

  private func allows(_ rate: SampleRate) -> Bool {
    unsafe alsa.pcm_hw_params_test_rate(pcm, pointer, CUnsignedInt(rate.hertz), 0) == 0
  }

  private func allows(_ channels: ChannelCount) -> Bool {
    unsafe alsa.pcm_hw_params_test_channels(pcm, pointer, CUnsignedInt(channels.value)) == 0
  }

  func commonRates() -> [SampleRate] {
    Capabilities.customaryRates.compactMap(SampleRate.init).filter { allows($0) }
  }

  func rates() -> ClosedRange<Int> {
    var least: CUnsignedInt = 0
    var most: CUnsignedInt = 0
    // 1 means that the lowest rate itself is not allowed, and −1 that the highest rate is not.
    var beyondLeast: CInt = 0
    var beyondMost: CInt = 0
    _ = unsafe alsa.pcm_hw_params_get_rate_min(pointer, &least, &beyondLeast)
    _ = unsafe alsa.pcm_hw_params_get_rate_max(pointer, &most, &beyondMost)
    let lowest = Int(least) + Int(beyondLeast)
    return lowest...max(lowest, Int(most) + Int(beyondMost))
  }

  func channels() -> ClosedRange<Int> {
    var least: CUnsignedInt = 0
    var most: CUnsignedInt = 0
    _ = unsafe alsa.pcm_hw_params_get_channels_min(pointer, &least)
    _ = unsafe alsa.pcm_hw_params_get_channels_max(pointer, &most)
    return Int(least)...max(Int(least), Int(most))
  }

  func formats() -> [snd_pcm_format_t] {
    (0...SND_PCM_FORMAT_LAST.rawValue).map { snd_pcm_format_t(rawValue: $0) }
      .filter { unsafe alsa.pcm_hw_params_test_format(pcm, pointer, $0) == 0 }
  }

  private func largestBuffer() -> FrameCount {
    var frames: snd_pcm_uframes_t = 0
    _ = unsafe alsa.pcm_hw_params_get_buffer_size_max(pointer, &frames)
    return FrameCount(Int64(clamping: frames))
  }

  private func name(of format: snd_pcm_format_t) -> String {
    guard let name = alsa.pcm_format_name(format) else { return "?" }
    return unsafe String(cString: name)
  }

  /// Returns the installed configuration, or nil if this program does not support its rate,
  /// channels or sample format.
  func setup(isKernelHardware: Bool) -> StreamSetup? {
    var rate: CUnsignedInt = 0
    var channels: CUnsignedInt = 0
    var sample = SND_PCM_FORMAT_UNKNOWN
    var period: snd_pcm_uframes_t = 0
    var buffer: snd_pcm_uframes_t = 0
    _ = unsafe alsa.pcm_hw_params_get_rate(pointer, &rate, nil)
    _ = unsafe alsa.pcm_hw_params_get_channels(pointer, &channels)
    _ = unsafe alsa.pcm_hw_params_get_format(pointer, &sample)
    _ = unsafe alsa.pcm_hw_params_get_period_size(pointer, &period, nil)
    _ = unsafe alsa.pcm_hw_params_get_buffer_size(pointer, &buffer)
    guard let rate = SampleRate(Int(rate)), let channels = ChannelCount(Int(channels)),
      let sample = SampleFormat(sample)
    else { return nil }
    return StreamSetup(
      device: device, format: StreamFormat(rate: rate, channels: channels, sample: sample),
      period: FrameCount(Int64(clamping: period)), buffer: FrameCount(Int64(clamping: buffer)),
      isKernelHardware: isKernelHardware)
  }
}

extension HardwareParameters {
  /// Narrows the configuration down to `request`, and configures the device with it. Throws an
  /// error with the first wish that the device refuses.
  ///
  /// Required values are set first, so that no preferred value makes a required value impossible.
  func narrow(to request: DeviceRequest, _ able: Capabilities) throws(DeviceError) {
    try refused(.interleaving, able, setInterleaved())
    try narrow(to: request, exact: true, able)
    try narrow(to: request, exact: false, able)
    try refused(.combination, able, settleBuffer(request))
    try refused(.combination, able, install())
  }

  private func narrow(
    to request: DeviceRequest, exact: Bool, _ able: Capabilities
  ) throws(DeviceError) {
    if request.channels.isExact == exact {
      let channels = chosen(request.channels)
      try refused(.channels(channels), able, set(channels))
    }
    if request.rate.isExact == exact {
      let rate = chosen(request.rate)
      try refused(.rate(rate), able, set(rate))
    }
    if request.sample.isExact == exact {
      let sample = chosen(request.sample)
      try refused(.sample(sample), able, set(sample))
    }
  }

  private func chosen(_ wish: DeviceRequest.Wish<ChannelCount>) -> ChannelCount {
    if wish.isExact || allows(wish.value) { return wish.value }
    let able = channels().clamped(to: 1...1_024).compactMap(ChannelCount.init).filter { allows($0) }
    return NearestChoice.nearest(to: wish.value, in: able) ?? wish.value
  }

  private func chosen(_ wish: DeviceRequest.Wish<SampleRate>) -> SampleRate {
    if wish.isExact || allows(wish.value) { return wish.value }
    let ends = [rates().lowerBound, rates().upperBound].compactMap(SampleRate.init).filter {
      allows($0)
    }
    return NearestChoice.nearest(to: wish.value, in: commonRates() + ends) ?? wish.value
  }

  private func chosen(_ wish: DeviceRequest.Wish<SampleFormat>) -> SampleFormat {
    if wish.isExact { return wish.value }
    let able = formats().compactMap { SampleFormat($0) }
    return NearestChoice.nearest(to: wish.value, in: able) ?? wish.value
  }

  private func settleBuffer(_ request: DeviceRequest) throws(StreamError) {
    guard let rate = SampleRate(rates().lowerBound) else { return }
    if request.buffer == nil { limitBuffer(to: FrameCount(.seconds(2), at: rate)) }
    let (period, buffer) = NearestChoice.buffering(for: request, at: rate, largest: largestBuffer())
    try set(near: period, buffer: buffer)
  }

  private func refused(
    _ trait: DeviceError.Trait, _ able: Capabilities,
    _ step: @autoclosure () throws(StreamError) -> Void
  ) throws(DeviceError) {
    try mapError({ DeviceError.unable($0, asked: trait, able: able) }, step())
  }
}

/// Functions that choose the supported value nearest to a wish. They are pure, so that tests can
/// check them with tables.
enum NearestChoice {
  /// Returns the smallest value that is at least `wish`. If there is no such value, returns the
  /// largest value, or nil if `able` is empty.
  static func nearest<Value: Comparable>(to wish: Value, in able: [Value]) -> Value? {
    able.filter { $0 >= wish }.min() ?? able.max()
  }

  /// Returns the format itself if it is supported. Otherwise returns the narrowest format with at
  /// least as many significant bits as `wish`, with integers if possible. If there is no such
  /// format, returns the widest format.
  static func nearest(to wish: SampleFormat, in able: [SampleFormat]) -> SampleFormat? {
    if able.contains(wish) { return wish }
    let carrying = able.filter { $0.significantBits >= wish.significantBits }
    return carrying.min(by: isNarrower) ?? able.max(by: isNarrower)
  }

  private static func isNarrower(_ left: SampleFormat, _ right: SampleFormat) -> Bool {
    cost(left) < cost(right)
  }

  private static func cost(_ format: SampleFormat) -> (Int, Int, Int) {
    (format.significantBits, format.isFloat ? 1 : 0, format.bytesPerSample)
  }

  /// Returns the period and the buffer. Without a wish, the buffer is the largest up to 2 s, and
  /// the period is 100 ms, or a quarter of the buffer if that is shorter.
  static func buffering(
    for request: DeviceRequest, at rate: SampleRate, largest: FrameCount
  ) -> (period: FrameCount, buffer: FrameCount) {
    let wished = FrameCount(request.buffer ?? .seconds(2), at: rate)
    let buffer = max(2, min(wished, largest))
    let pace = FrameCount(request.period ?? .milliseconds(100), at: rate)
    let most = FrameCount(request.period == nil ? buffer.value / 4 : buffer.value / 2)
    return (max(1, min(pace, most)), buffer)
  }
}

extension SampleFormat {
  /// ALSA's constant for the format.
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
