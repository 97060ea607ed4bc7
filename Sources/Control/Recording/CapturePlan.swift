package import Audio
package import JSON

/// The capture device and the format to ask for; a value that is nil is left to the device and the
/// defaults.
package struct CapturePlan: Hashable, Sendable {
  /// A PCM of ALSA or a built-in device, as it was typed.
  package var device: String
  /// The rate to ask for; nil for 48 kHz.
  package var rate: SampleRate?
  /// The number of channels to record.
  package var channels: ChannelCount?
  /// The device's channels to keep, counted from 1; none means all.
  package var selection: [Int] = []
  /// The gain that is applied to the samples, in decibels; 0 dB changes nothing.
  package var gain: Decibels = .fullScale
  /// The length of a period of the device; nil for the default.
  package var period: Duration?
  /// The length of the device's buffer; nil for the default.
  package var buffer: Duration?

  /// A plan that records all channels with a gain of 0 dB.
  package init(device: String, rate: SampleRate? = nil, channels: ChannelCount? = nil) {
    self.device = device
    self.rate = rate
    self.channels = channels
  }
}

extension CapturePlan: JSONConvertible {
  /// Reads what `json` wrote; nil without a device or with a selected channel that none can be.
  package init?(json: JSONValue) {
    guard let device = json["device"]?.string else { return nil }
    self.init(
      device: device,
      rate: json["rate"].flatMap(Int.init(json:)).flatMap { SampleRate($0) },
      channels: json["channels"].flatMap(Int.init(json:)).flatMap { ChannelCount($0) })
    selection = json["select"].flatMap([Int].init(json:)) ?? []
    guard selection.allSatisfy({ ChannelCount($0) != nil }) else { return nil }
    gain = json["gain"]?.number(in: -1_000...1_000).map { Decibels($0) } ?? .fullScale
    period = json["period"].flatMap(Duration.init(json:))
    buffer = json["buffer"].flatMap(Duration.init(json:))
  }

  /// The object within a recording plan; values that are nil have no member.
  package var json: JSONValue {
    var members: JSONObject = ["device": device.json]
    members.set("rate", rate?.hertz)
    members.set("channels", channels?.value)
    members.set("select", selection)
    members.set("gain", gain.value)
    members.set("period", period)
    members.set("buffer", buffer)
    return .object(members)
  }
}
