package import Audio
package import JSON

/// Everything that a recording session needs to know, resolved before anything is touched.
package struct RecordingPlan: Hashable, Sendable {
  /// The identifier of the take in the catalogue; no two are alike.
  package var identifier: String
  /// The user's name for the session, such as `default`.
  package var name: String
  /// The client that asked, for the scope of the permission and for the audit; nil is everybody.
  package var client: String?
  /// True if the user allowed this recording alone, because no answer could be stored.
  package var isAllowedAlone = false
  /// The device to record from and its format.
  package var capture: CapturePlan
  /// The file to write and its sidecar.
  package var output: OutputPlan
  /// The limits at which the recording ends by itself.
  package var limits: RecordingLimits
  /// The thresholds that start and stop it by level; nil to start at once.
  package var voice: VoiceSettings?
  /// True if lost frames leave the exit code at 0.
  package var toleratesGaps = false
  /// The absolute path of the program that runs for each complete file; nil for none.
  package var onSegment: String?
  /// The absolute path of the program that runs at the end of the take; nil for none.
  package var onStop: String?
  /// The longest wait for a disconnected device; nil ends the take instead.
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
  /// Reads what `json` wrote; nil where a part of the plan is missing or wrong.
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

  /// The line that `start` sends to the session.
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
