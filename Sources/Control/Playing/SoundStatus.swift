package import Audio
package import JSON

/// What one sound of the player does at one instant.
package struct SoundStatus: Hashable, Sendable {
  /// What a sound can be doing.
  package enum State: String, Hashable, Sendable {
    case stopped, playing, paused, ended
  }

  package var name: String
  package var output: String
  package var state: State
  package var position: Duration
  package var duration: Duration
  /// The factor; 1 is as it was made.
  package var volume: Double
  package var isMuted: Bool
  /// Plays not yet ended, the one under way included; nil for ever.
  package var playsLeft: Int?
  /// How many of this name are heard at once.
  package var voices: Int
  /// Plays that wait for this one to end.
  package var queued: Int
  package var peak: Decibels
  package var path: String

  package init(
    _ name: String, output: String, state: State, position: Duration, duration: Duration,
    path: String
  ) {
    self.name = name
    self.output = output
    self.state = state
    self.position = position
    self.duration = duration
    self.path = path
    volume = 1
    isMuted = false
    playsLeft = 0
    voices = 0
    queued = 0
    peak = Decibels(-.infinity)
  }
}

extension SoundStatus: JSONConvertible {
  package init?(json: JSONValue) {
    guard let name = json["name"]?.string, let output = json["output"]?.string,
      let state = json["state"]?.string.flatMap(State.init(rawValue:)),
      let position = json["position"].flatMap(Duration.init(json:)),
      let duration = json["duration"].flatMap(Duration.init(json:)),
      let path = json["path"]?.string
    else { return nil }
    self.init(
      name, output: output, state: state, position: position, duration: duration, path: path)
    volume = json["volume"]?.number ?? 1
    isMuted = json["muted"]?.bool ?? false
    playsLeft = json["playsLeft"]?.integer(in: 0...Int.max)
    voices = json["voices"]?.integer(in: 0...Int.max) ?? 0
    queued = json["queued"]?.integer(in: 0...Int.max) ?? 0
    peak = Decibels(json: json["peak"])
  }

  package var json: JSONValue {
    var members: JSONObject = ["name": name.json]
    members.set("output", output)
    members.set("state", state.rawValue)
    members.set("position", position)
    members.set("duration", duration)
    members.set("volume", volume)
    members.set("muted", isMuted)
    members["playsLeft"] = playsLeft?.json ?? .null
    members.set("voices", voices)
    members.set("queued", queued)
    members["peak"] = peak.json
    members.set("path", path)
    return .object(members)
  }
}
