package import Audio

/// What a caller wishes of a device; what it got is in `StreamSetup`.
package struct DeviceRequest: Hashable, Sendable {
  /// How much a value matters.
  package enum Wish<Value: Hashable & Sendable>: Hashable, Sendable {
    /// This value, or what the device has that loses least.
    case near(Value)
    /// This value, or the opening fails and says what the device can do.
    case exactly(Value)

    /// The value itself.
    package var value: Value {
      switch self {
      case .near(let value), .exactly(let value): value
      }
    }

    var isExact: Bool {
      if case .exactly = self { true } else { false }
    }
  }

  package var rate: Wish<SampleRate>
  package var channels: Wish<ChannelCount>
  package var sample: Wish<SampleFormat>
  /// How often the device wakes the program; about every 100 ms without a wish.
  package var period: Duration?
  /// How much the device holds; the largest up to 2 s without a wish.
  package var buffer: Duration?

  package init(
    rate: Wish<SampleRate> = .near(.hz48000), channels: Wish<ChannelCount> = .near(.stereo),
    sample: Wish<SampleFormat> = .near(.int16), period: Duration? = nil, buffer: Duration? = nil
  ) {
    self.rate = rate
    self.channels = channels
    self.sample = sample
    self.period = period
    self.buffer = buffer
  }

  /// Every value exactly as in `format`.
  package init(exactly format: StreamFormat, period: Duration? = nil, buffer: Duration? = nil) {
    self.init(
      rate: .exactly(format.rate), channels: .exactly(format.channels),
      sample: .exactly(format.sample), period: period, buffer: buffer)
  }
}
