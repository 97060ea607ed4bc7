package import Audio

/// The direction of a stream.
package enum Direction: String, Hashable, CaseIterable, Sendable {
  /// From the device into the program.
  case capture
  /// From the program into the device.
  case playback
}

extension Direction {
  /// The names of the built-in devices for this direction, as users write them.
  package var builtInDevices: [String] {
    switch self {
    case .capture: ["test:tone[:HZ]", "test:silence", "test:ramp"]
    case .playback: ["test:null"]
    }
  }
}

/// A caller's wishes for a device. `StreamSetup` has the result.
package struct DeviceRequest: Hashable, Sendable {
  /// A wanted value, and whether it is required.
  package enum Wish<Value: Hashable & Sendable>: Hashable, Sendable {
    /// This value, or the nearest supported value. `NearestChoice` has the rules.
    case near(Value)
    /// This value. If the device does not support it, opening fails and reports the device's
    /// capabilities.
    case exactly(Value)

    /// The wanted value, required or not.
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
  /// The number of channels of each track; near stereo by default.
  package var channels: Wish<ChannelCount>
  /// The sample format; near 16 bits by default.
  package var sample: Wish<SampleFormat>
  /// The time between two wakes, or nil for about 100 ms.
  package var period: Duration?
  /// The duration of the device's buffer, or nil for the largest buffer up to 2 s.
  package var buffer: Duration?
  /// A factor for the period and the buffer on PipeWire. There, a longer buffer does not delay a
  /// change of the sound, because written frames can be replaced.
  package var stretch = 1

  /// Creates wishes. The default wishes are near 48 kHz, stereo and 16 bits.
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

  /// Requires every value of `format` exactly.
  package init(exactly format: StreamFormat, period: Duration? = nil, buffer: Duration? = nil) {
    self = DeviceRequest(period: period, buffer: buffer).exactly(format)
  }

  /// Returns the same wishes, but requires this format.
  package func exactly(_ format: StreamFormat) -> DeviceRequest {
    var request = self
    request.rate = .exactly(format.rate)
    request.channels = .exactly(format.channels)
    request.sample = .exactly(format.sample)
    return request
  }

  /// The wishes with the period and the buffer multiplied by `stretch`, for PipeWire.
  var stretched: DeviceRequest {
    var request = self
    request.period = period.map { $0 * stretch }
    request.buffer = buffer.map { $0 * stretch }
    return request
  }
}

/// The properties of an opened device, which may differ from the requested properties.
package struct StreamSetup: Hashable, Sendable {
  /// The name that was used to open the device.
  package let device: String
  /// The rate, the channels and the sample format that are used.
  package let format: StreamFormat
  /// The number of frames between two wakes.
  package let period: FrameCount
  /// The size of the device's buffer in frames.
  package let buffer: FrameCount
  /// True if the kernel's driver fills and empties the buffer directly, so that no layer can hide a
  /// loss.
  package let isKernelHardware: Bool
  /// True if PipeWire fills and empties the buffer directly, so that no layer converts the frames.
  package var isPipeWire = false
  /// The cards of the opened ALSA devices and microphones. An element is nil if the card is
  /// unknown, or if no kernel driver serves the device. Built-in devices and sound that this
  /// machine plays have no element.
  package var cards: [OpenedCard?] = []
  /// PipeWire's description of the node that was opened, or nil if it is unknown.
  package var title: String?
  /// The channels of each track in a frame, in the order of the tracks. If there is only one track,
  /// this is one group or none, and the track has all channels.
  package var groups: [Range<Int>] = []
}

/// An opened device and its sound card, by the kernel's numbers.
package struct OpenedCard: Hashable, Sendable {
  /// The card's number.
  package let number: Int
  /// The device's number on the card.
  package let device: Int

  /// Creates a device from the numbers.
  package init(number: Int, device: Int) {
    self.number = number
    self.device = device
  }
}

/// The capabilities of a device, read from the device itself.
package struct Capabilities: Hashable, Sendable {
  /// The lowest and the highest rate in hertz. The device may not support all rates between them.
  package let rates: ClosedRange<Int>
  /// The customary rates that the device supports. Empty if only the range of its rates is known.
  package let commonRates: [SampleRate]
  /// The fewest and the most channels.
  package let channels: ClosedRange<Int>
  /// The sample formats that this program can use.
  package let formats: [SampleFormat]
  /// ALSA's names of the sample formats that this program cannot use.
  package let otherFormats: [String]

  /// The customary rates that the device supports, in hertz, lowest first. If `commonRates` is
  /// empty, these are all customary rates within `rates`.
  package var customaryRates: [Int] {
    commonRates.isEmpty ? Self.customaryRates.filter(rates.contains) : commonRates.map(\.hertz)
  }

  /// The rates that programs and files commonly use, lowest first.
  static let customaryRates = [
    5_512, 8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200,
    96_000, 176_400, 192_000, 352_800, 384_000, 705_600, 768_000,
  ]
}

extension Capabilities: CustomStringConvertible {
  /// A description such as `16000–96000 Hz, 2 channels, S16`.
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
