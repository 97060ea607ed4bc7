package import Audio
package import JSON
internal import Linux

/// All parameters of a recording session, resolved before the session starts.
package struct RecordingPlan: Hashable, Sendable {
  /// The unique identifier of the take in the catalogue.
  package var identifier: String
  /// The user's name for the session, such as `default`.
  package var name: String
  /// The client that requested the recording, for the scope of the permission and for the audit, or
  /// nil for everyone.
  package var client: String?
  /// True if the user allowed only this recording, because no answer could be stored.
  package var isAllowedAlone = false
  /// The device to record from and its format.
  package var capture: CapturePlan
  /// The output file and its sidecar.
  package var output: OutputPlan
  /// The limits that end the recording automatically.
  package var limits: RecordingLimits
  /// The thresholds that start and stop the recording by level, or nil to start at once.
  package var voice: VoiceSettings?
  /// True if lost frames leave the exit code at 0.
  package var toleratesGaps = false
  /// The absolute path of the program that runs for each complete file, or nil for none.
  package var onSegment: String?
  /// The absolute path of the program that runs at the end of the take, or nil for none.
  package var onStop: String?
  /// The longest wait for a disconnected device, or nil to end the take instead.
  package var reconnect: Duration?

  /// A plan without a client, hooks or voice activation.
  package init(
    identifier: String, name: String, capture: CapturePlan, output: OutputPlan,
    limits: RecordingLimits = RecordingLimits()
  ) {
    self.identifier = identifier
    self.name = name
    self.capture = capture
    self.output = output
    self.limits = limits
  }
}

extension RecordingPlan: JSONConvertible {
  /// Reads the output of `json`, or returns nil if a part of the plan is missing or wrong.
  package init?(json: JSONValue) {
    guard let identifier = json["identifier"]?.string, let name = json["name"]?.string,
      let capture = json["capture"].flatMap(CapturePlan.init(json:)),
      let output = json["output"].flatMap(OutputPlan.init(json:)),
      let limits = json["limits"].flatMap(RecordingLimits.init(json:))
    else { return nil }
    self.init(
      identifier: identifier, name: name, capture: capture, output: output, limits: limits)
    client = json["client"]?.string
    isAllowedAlone = json["isAllowedAlone"]?.bool ?? false
    voice = json["voice"].flatMap(VoiceSettings.init(json:))
    toleratesGaps = json["toleratesGaps"]?.bool ?? false
    onSegment = json["onSegment"]?.string
    onStop = json["onStop"]?.string
    reconnect = json["reconnect"].flatMap(Duration.init(json:))
  }

  /// The JSON object that `start` sends to the session.
  package var json: JSONValue {
    var members: JSONObject = ["identifier": identifier.json, "name": name.json]
    members.set("client", client)
    members.set("isAllowedAlone", isAllowedAlone)
    members.set("capture", capture)
    members.set("output", output)
    members.set("limits", limits)
    members.set("voice", voice)
    members.set("toleratesGaps", toleratesGaps)
    members.set("onSegment", onSegment)
    members.set("onStop", onStop)
    members.set("reconnect", reconnect)
    return .object(members)
  }
}

/// The capture device and the requested format. The device and the defaults decide values that are
/// nil.
package struct CapturePlan: Hashable, Sendable {
  /// An ALSA PCM or a built-in device, as it was typed.
  package var device: String
  /// The requested rate, or nil for 48 kHz.
  package var rate: SampleRate?
  /// The number of channels to record.
  package var channels: ChannelCount?
  /// The channels of the device to keep, counted from 1. An empty list keeps all.
  package var selection: [Int] = []
  /// The gain for the samples, in decibels. 0 dB changes nothing.
  package var gain: Decibels = .fullScale
  /// The length of a period of the device, or nil for the default.
  package var period: Duration?
  /// The length of the device's buffer, or nil for the default.
  package var buffer: Duration?

  /// A plan that records all channels with a gain of 0 dB.
  package init(device: String, rate: SampleRate? = nil, channels: ChannelCount? = nil) {
    self.device = device
    self.rate = rate
    self.channels = channels
  }
}

extension CapturePlan {
  /// The environment variable with the default capture device.
  package static let deviceVariable = "RECORDER_CAPTURE_DEVICE"

  /// The default capture device: the value of `deviceVariable`, or ALSA's `default` if it is unset
  /// or empty.
  package static var usualDevice: String {
    let named = Environment.value(of: deviceVariable) ?? ""
    return named.isEmpty ? "default" : named
  }
}

extension CapturePlan: JSONConvertible {
  /// Reads the output of `json`, or returns nil if the device is missing or a selected channel is
  /// impossible.
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

  /// The JSON object in a recording plan. Values that are nil have no member.
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

/// The limits that end a recording automatically.
package struct RecordingLimits: Hashable, Sendable {
  /// The longest duration of the take, or nil for no limit.
  package var duration: Duration?
  /// The largest size of the file in bytes, or nil for no limit.
  package var size: Int64?
  /// The number of bytes that must stay free on the file's filesystem.
  package var free: Int64

  /// Enough free space to write the header, the marks and the sidecar at the end.
  package static let leastFree: Int64 = 16 << 20

  /// Only a limit for the free space, unless others are given.
  package init(duration: Duration? = nil, size: Int64? = nil, free: Int64 = Self.leastFree) {
    self.duration = duration
    self.size = size
    self.free = free
  }
}

extension RecordingLimits: JSONConvertible {
  /// Reads the output of `json`, or returns nil if the free space is missing.
  package init?(json: JSONValue) {
    guard let free = json["free"]?.integer(in: .sizes) else { return nil }
    self.init(
      duration: json["duration"].flatMap(Duration.init(json:)),
      size: json["size"]?.integer(in: .sizes),
      free: free)
  }

  /// The JSON object in a recording plan. A limit that is nil has no member.
  package var json: JSONValue {
    var members = JSONObject()
    members.set("duration", duration)
    members.set("size", size)
    members.set("free", free)
    return .object(members)
  }
}
