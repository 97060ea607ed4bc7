package import Audio
package import JSON

extension VoiceSettings: JSONConvertible {
  package init?(json: JSONValue) {
    guard let threshold = json["threshold"]?.number(in: -1_000...1_000) else { return nil }
    self.init()
    self.threshold = Decibels(threshold)
    isArmed = json["isArmed"]?.bool ?? false
    start = json["start"]?.number(in: -1_000...1_000).map { Decibels($0) }
    preRoll = json["preRoll"].flatMap(Duration.init(json:)) ?? .zero
    silence = json["silence"].flatMap(Duration.init(json:))
  }

  package var json: JSONValue {
    var members: JSONObject = ["threshold": .number(threshold.value)]
    members.set("isArmed", isArmed)
    members.set("start", start?.value)
    members.set("preRoll", preRoll)
    members.set("silence", silence)
    return .object(members)
  }
}
