internal import Audio

extension HardwareParameters {
  /// Narrows the device down to the wishes of `request`; throws with the first wish that it refused.
  ///
  /// Exact wishes come first, so that a mere preference never stands in their way.
  func settle(_ request: DeviceRequest, _ able: Capabilities) throws(DeviceError) {
    try refused(.interleaving, able) { () throws(ALSAError) in try setInterleaved() }
    try settle(request, exact: true, able)
    try settle(request, exact: false, able)
    try refused(.combination, able) { () throws(ALSAError) in try settleBuffer(request) }
    try refused(.combination, able) { () throws(ALSAError) in try install() }
  }

  private func settle(
    _ request: DeviceRequest, exact: Bool, _ able: Capabilities
  ) throws(DeviceError) {
    if request.channels.isExact == exact {
      let channels = chosen(request.channels)
      try refused(.channels(channels), able) { () throws(ALSAError) in try set(channels) }
    }
    if request.rate.isExact == exact {
      let rate = chosen(request.rate)
      try refused(.rate(rate), able) { () throws(ALSAError) in try set(rate) }
    }
    if request.sample.isExact == exact {
      let sample = chosen(request.sample)
      try refused(.sample(sample), able) { () throws(ALSAError) in try set(sample) }
    }
  }

  private func chosen(_ wish: DeviceRequest.Wish<ChannelCount>) -> ChannelCount {
    if wish.isExact || allows(wish.value) { return wish.value }
    let able = channels().clamped(to: 1...1_024).compactMap(ChannelCount.init).filter { allows($0) }
    return Choice.nearest(to: wish.value, in: able) ?? wish.value
  }

  private func chosen(_ wish: DeviceRequest.Wish<SampleRate>) -> SampleRate {
    if wish.isExact || allows(wish.value) { return wish.value }
    let ends = [rates().lowerBound, rates().upperBound].compactMap(SampleRate.init).filter {
      allows($0)
    }
    return Choice.nearest(to: wish.value, in: commonRates() + ends) ?? wish.value
  }

  private func chosen(_ wish: DeviceRequest.Wish<SampleFormat>) -> SampleFormat {
    if wish.isExact { return wish.value }
    let able = formats().compactMap { SampleFormat($0) }
    return Choice.nearest(to: wish.value, in: able) ?? wish.value
  }

  private func settleBuffer(_ request: DeviceRequest) throws(ALSAError) {
    guard let rate = SampleRate(rates().lowerBound) else { return }
    if request.buffer == nil { limitBuffer(to: FrameCount(.seconds(2), at: rate)) }
    let (period, buffer) = Choice.buffering(for: request, at: rate, largest: largestBuffer())
    try set(near: period, buffer: buffer)
  }

  private func refused(
    _ trait: DeviceError.Trait, _ able: Capabilities, _ step: () throws(ALSAError) -> Void
  ) throws(DeviceError) {
    do throws(ALSAError) { try step() } catch { throw .unable(error, asked: trait, able: able) }
  }
}
