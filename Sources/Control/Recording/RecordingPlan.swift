package import Audio
package import JSON
internal import Linux

/// All settings of a recording session. They are determined before the session starts.
package struct RecordingPlan: Hashable, Sendable {
  /// The unique identifier of the take in the catalogue.
  package var identifier: String
  /// The user's name for the session, such as `default`.
  package var name: String
  /// The client that requested the recording, or nil for the client `everyone`. The client
  /// determines the permission that applies, and is stored in the audit.
  package var client: String?
  /// Whether the user has allowed only this recording, because the permission could not be stored.
  package var isAllowedAlone = false
  /// The device to record from and its format.
  package var capture: CapturePlan
  /// The output file and its sidecar.
  package var output: OutputPlan
  /// The limits that end the recording automatically.
  package var limits: RecordingLimits
  /// The rules that start and stop the take by the level of the sound, or nil to start immediately.
  package var voice: VoiceSettings?
  /// Whether the exit code stays 0 if frames are lost.
  package var toleratesGaps = false
  /// The absolute path of the program that runs for each complete file, or nil for none.
  package var onSegment: String?
  /// The absolute path of the program that runs at the end of the take, or nil for none.
  package var onStop: String?
  /// The longest time to wait for a disconnected device, or nil to end the take without waiting.
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

extension RecordingPlan: JSONMembers {
  /// A placeholder plan. Reading JSON replaces its members.
  package static var blank: RecordingPlan {
    RecordingPlan(identifier: "", name: "", capture: .blank, output: .blank)
  }

  /// Lists the members that `start` sends to the session.
  package mutating func list(in form: inout JSONForm) {
    form.member("identifier", &identifier)
    form.member("name", &name)
    form.member("client", &client)
    form.member("isAllowedAlone", &isAllowedAlone, or: false)
    form.member("capture", &capture)
    form.member("output", &output)
    form.member("limits", &limits)
    form.member("voice", &voice)
    form.member("toleratesGaps", &toleratesGaps, or: false)
    form.member("onSegment", &onSegment)
    form.member("onStop", &onStop)
    form.member("reconnect", &reconnect)
  }
}

/// The tracks to capture and the requested format. If a value is nil, the device or a default
/// determines it.
package struct CapturePlan: Hashable, Sendable {
  /// The tracks, at least one. All tracks are captured as one stream, in this order.
  package var tracks: [Track]
  /// Whether the file contains a mix of all tracks instead of the channels of each track.
  package var mixes = false
  /// The names of the tracks whose devices must not be missing for longer than `reconnect`
  /// of the recording plan.
  package var required: [String] = []
  /// The requested rate, or nil for the rate nearest to 48 kHz that the device supports.
  package var rate: SampleRate?
  /// The number of channels to record from each track, or nil for the default.
  package var channels: ChannelCount?
  /// The channels of the device to keep, counted from 1. If the list is empty, all channels are
  /// kept.
  package var selection: [Int] = []
  /// The gain for the samples, in decibels. 0 dB changes nothing.
  package var gain: Decibels = .fullScale
  /// The length of a period of the device, or nil for the default.
  package var period: Duration?
  /// The length of the device's buffer, or nil for the default.
  package var buffer: Duration?

  /// A plan that records all channels with a gain of 0 dB.
  package init(device: String, rate: SampleRate? = nil, channels: ChannelCount? = nil) {
    tracks = [Track(device: device)]
    self.rate = rate
    self.channels = channels
  }
}

extension CapturePlan {
  /// The device of the first track.
  package var device: String { tracks.first?.device ?? "" }

  /// The environment variable with the default capture device.
  package static let deviceVariable = "RECORDER_CAPTURE_DEVICE"

  /// The default capture device: the value of `deviceVariable`, or ALSA's `default` if the variable
  /// is unset or empty.
  package static var usualDevice: String { Environment.text(of: deviceVariable) ?? "default" }
}

extension CapturePlan: JSONMembers {
  /// A placeholder plan. Reading JSON replaces its members.
  package static var blank: CapturePlan { CapturePlan(device: "") }

  /// Lists the members of the JSON object that contains this plan.
  package mutating func list(in form: inout JSONForm) {
    form.member(tracks: &tracks)
    form.member("mixes", &mixes, or: false)
    form.member("required", &required, or: [])
    form.member("rate", &rate)
    form.member("channels", &channels)
    form.member("select", &selection, or: [])
    form.require(selection.allSatisfy { ChannelCount($0) != nil })
    form.member("gain", &gain, or: .fullScale, Decibels.init(bounded:)) { $0.value.json }
    form.member("period", &period)
    form.member("buffer", &buffer)
  }
}

/// The limits that end a recording automatically.
package struct RecordingLimits: Hashable, Sendable {
  /// The longest duration of the take, or nil for no limit.
  package var duration: Duration?
  /// The largest size of a file in bytes, or nil for no limit. If each track has its own file, the
  /// limit applies to the sum of their sizes.
  package var size: Int64?
  /// The number of bytes that must stay free on the file's filesystem.
  package var free: Int64

  /// The default of `free`. It is enough space to write the header, the marks and the sidecar at
  /// the end of the recording.
  package static let leastFree: Int64 = 16 << 20

  /// Creates limits. By default, only the free space has a limit.
  package init(duration: Duration? = nil, size: Int64? = nil, free: Int64 = Self.leastFree) {
    self.duration = duration
    self.size = size
    self.free = free
  }
}

extension RecordingLimits: JSONMembers {
  /// Placeholder limits. Reading JSON replaces them.
  package static var blank: RecordingLimits { RecordingLimits() }

  /// Lists the members of the JSON object that contains this plan.
  package mutating func list(in form: inout JSONForm) {
    form.member("duration", &duration)
    form.member("size", &size, in: .sizes)
    form.member("free", &free, in: .sizes)
  }
}
