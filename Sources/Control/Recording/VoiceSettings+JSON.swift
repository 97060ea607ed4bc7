package import Audio
package import JSON

extension VoiceSettings: JSONConvertible {
  /// Reads what `json` wrote; nil for a threshold outside of -1000 to 1000 dB.
  package init?(json: JSONValue) {
    guard let threshold = json["threshold"]?.number(in: -1_000...1_000) else { return nil }
    self.init()
    self.threshold = Decibels(threshold)
    isArmed = json["isArmed"]?.bool ?? false
    start = json["start"]?.number(in: -1_000...1_000).map { Decibels($0) }
    preRoll = json["preRoll"].flatMap(Duration.init(json:)) ?? .zero
    silence = json["silence"].flatMap(Duration.init(json:))
  }

  /// The object within a recording plan; levels are in decibels.
  package var json: JSONValue {
    var members: JSONObject = ["threshold": .number(threshold.value)]
    members.set("isArmed", isArmed)
    members.set("start", start?.value)
    members.set("preRoll", preRoll)
    members.set("silence", silence)
    return .object(members)
  }
}
