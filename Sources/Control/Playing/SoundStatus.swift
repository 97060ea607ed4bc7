package import Audio
package import JSON

/// The state of one sound of the player at one instant.
package struct SoundStatus: Hashable, Sendable {
  /// The state of a sound's playback.
  package enum State: String, Hashable, Sendable {
    case stopped, playing, paused, ended
  }

  /// The name of the sound, or the file as it was typed.
  package var name: String
  /// The playback device, as it was typed.
  package var output: String
  /// The state at that instant.
  package var state: State
  /// The playback position, from the beginning of the sound.
  package var position: Duration
  /// The length of the sound.
  package var duration: Duration
  /// The gain as a factor; 1 leaves the samples as they are.
  package var volume: Double
  /// True while the sound plays without being heard.
  package var isMuted: Bool
  /// Plays not yet ended, the current one included; nil for an endless loop.
  package var playsLeft: Int?
  /// The number of voices of this name that play at the same time.
  package var voices: Int
  /// Plays that wait for this one to end.
  package var queued: Int
  /// The last peak; negative infinity while nothing plays.
  package var peak: Decibels
  /// The absolute path of the file.
  package var path: String

  /// A status with the gain 1 and no voices; the other members are set afterwards.
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
  /// Reads what `json` wrote; counts that are missing are 0, a member that cannot be missing gives
  /// nil.
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
    playsLeft = json["playsLeft"]?.integer(in: .counts)
    voices = json["voices"]?.integer(in: .counts) ?? 0
    queued = json["queued"]?.integer(in: .counts) ?? 0
    peak = Decibels(json: json["peak"])
  }

  /// The object in a reply; `playsLeft` is null for an endless loop, `peak` for silence.
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
