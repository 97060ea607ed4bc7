package import Audio
package import JSON

/// Everything that a recording session needs to know, resolved before anything is touched.
package struct RecordingPlan: Hashable, Sendable {
  /// What a take is called in the catalogue; no two are alike.
  package var identifier: String
  /// What the user calls the session, such as `default`.
  package var name: String
  /// Who asked, for the permission's scope and the audit; nil is everybody.
  package var client: String?
  /// Whether the user allowed this recording alone, which could not be written down.
  package var isAllowedAlone = false
  package var capture: CapturePlan
  package var output: OutputPlan
  package var limits: RecordingLimits
  /// When it begins and ends by what is heard; nil where it just begins.
  package var voice: VoiceSettings?
  /// Whether lost frames leave the exit code at 0.
  package var toleratesGaps = false
  /// Programs that hear of each complete file, and of the end; absolute paths.
  package var onSegment: String?
  package var onStop: String?
  /// How long a device that went away is waited for; nil ends the take.
  package var reconnect: Duration?

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
