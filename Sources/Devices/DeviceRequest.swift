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
  /// The factor by which the period and the buffer are longer on PipeWire, where frames can be taken
  /// back after they were written.
  package var stretch = 1

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
    self = DeviceRequest(period: period, buffer: buffer).exactly(format)
  }

  /// The same wishes for a device that has to have that format.
  package func exactly(_ format: StreamFormat) -> DeviceRequest {
    var request = self
    request.rate = .exactly(format.rate)
    request.channels = .exactly(format.channels)
    request.sample = .exactly(format.sample)
    return request
  }

  /// The wishes with a period and a buffer as long as they may be on PipeWire.
  var stretched: DeviceRequest {
    var request = self
    request.period = period.map { $0 * stretch }
    request.buffer = buffer.map { $0 * stretch }
    return request
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
  /// True where PipeWire fills and empties it, with nothing between that would convert the frames.
  package var isPipeWire = false
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

/// The abilities of a device, read from the device itself.
package struct Capabilities: Hashable, Sendable {
  /// The lowest and the highest rate in hertz; not every rate between has to work.
  package let rates: ClosedRange<Int>
  /// The customary rates that work.
  package let commonRates: [SampleRate]
  /// The fewest and the most channels.
  package let channels: ClosedRange<Int>
  /// The sample formats that this program can use.
  package let formats: [SampleFormat]
  /// ALSA's names of the sample formats that this program cannot use.
  package let otherFormats: [String]

  /// Capabilities as read from ALSA or from a node of PipeWire's.
  package init(
    rates: ClosedRange<Int>, commonRates: [SampleRate], channels: ClosedRange<Int>,
    formats: [SampleFormat], otherFormats: [String]
  ) {
    self.rates = rates
    self.commonRates = commonRates
    self.channels = channels
    self.formats = formats
    self.otherFormats = otherFormats
  }

  /// The rates that programs and files use, lowest first.
  static let customaryRates = [
    5_512, 8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200,
    96_000, 176_400, 192_000, 352_800, 384_000, 705_600, 768_000,
  ]
}

extension Capabilities: CustomStringConvertible {
  /// `16000–96000 Hz, 2 channels, S16`.
  package var description: String {
    let names = formats.map(\.rawValue) + otherFormats
    let spoken = channels == 1...1 ? "1 channel" : "\(Self.span(channels)) channels"
    return "\(Self.span(rates)) Hz, \(spoken), \(names.joined(separator: " "))"
  }

  private static func span(_ range: ClosedRange<Int>) -> String {
    range.lowerBound == range.upperBound
      ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
  }
}
