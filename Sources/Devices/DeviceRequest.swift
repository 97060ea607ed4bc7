package import Audio

/// The direction of a stream.
package enum Direction: String, Hashable, CaseIterable, Sendable {
  /// From the device into the program.
  case capture
  /// From the program into the device.
  case playback
}

extension Direction {
  /// The names of the built-in devices of this direction, as users write them.
  package var builtInDevices: [String] {
    switch self {
    case .capture: ["test:tone[:HZ]", "test:silence", "test:ramp"]
    case .playback: ["test:null"]
    }
  }
}

/// A caller's wishes for a device; the result is in `StreamSetup`.
package struct DeviceRequest: Hashable, Sendable {
  /// A wanted value and its strictness.
  package enum Wish<Value: Hashable & Sendable>: Hashable, Sendable {
    /// This value, or the one of the device's that loses least.
    case near(Value)
    /// This value, or the opening fails and reports the device's capabilities.
    case exactly(Value)

    /// The wanted value, exact or not.
    package var value: Value {
      switch self {
      case .near(let value), .exactly(let value): value
      }
    }

    var isExact: Bool {
      if case .exactly = self { true } else { false }
    }
  }

  /// The rate; near 48,000 Hz by default.
  package var rate: Wish<SampleRate>
  /// The number of channels; near stereo by default.
  package var channels: Wish<ChannelCount>
  /// The sample format; near 16 bits by default.
  package var sample: Wish<SampleFormat>
  /// The time between two wakes; about 100 ms where nil.
  package var period: Duration?
  /// The time that the device's buffer holds; the largest up to 2 s where nil.
  package var buffer: Duration?

  /// Wishes for 48 kHz, stereo and 16 bits or the nearest to them, unless stated otherwise.
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

/// The properties of an opened device, which may differ from those requested.
package struct StreamSetup: Hashable, Sendable {
  /// The name that the device was opened by.
  package let device: String
  /// The rate, the channels and the sample format in use.
  package let format: StreamFormat
  /// The frames between two wakes.
  package let period: FrameCount
  /// The frames that the device's buffer holds.
  package let buffer: FrameCount
  /// True where the kernel's driver fills and empties the buffer, with nothing between that could
  /// hide a loss.
  package let isKernelHardware: Bool
  /// The card behind it; nil where no driver of the kernel is known to be.
  package var card: OpenedCard?
}

/// The card and device that a name of any kind opened.
package struct OpenedCard: Hashable, Sendable {
  /// The card's number.
  package let number: Int
  /// The device's number on the card.
  package let device: Int

  /// A place by the kernel's numbers.
  package init(number: Int, device: Int) {
    self.number = number
    self.device = device
  }
}
