package import Audio
package import JSON

/// The state of one sound of the player at one moment.
package struct SoundStatus: Hashable, Sendable {
  /// The playback state of a sound.
  package enum State: String, Hashable, Sendable {
    case stopped, playing, paused, ended
  }

  /// The name of the sound, or the file as it was typed.
  package var name: String
  /// The playback device, as it was typed.
  package var output: String
  /// The state at that moment.
  package var state: State
  /// The playback position, from the beginning of the sound.
  package var position: Duration
  /// The length of the sound.
  package var duration: Duration
  /// The gain as a factor. 1 does not change the samples.
  package var volume: Double
  /// Whether the sound is muted. A muted sound continues to play.
  package var isMuted: Bool
  /// The number of plays that have not ended, including the current one, or nil for an endless
  /// loop.
  package var playsLeft: Int?
  /// The number of voices of this name that play at the same time.
  package var voices: Int
  /// The number of plays that wait for this one to end.
  package var queued: Int
  /// The last peak, or negative infinity if nothing plays.
  package var peak: Decibels
  /// The absolute path of the file.
  package var path: String

  /// A status with a gain of 1 and no voices. The other members are set afterwards.
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
  /// Reads the output of `json`. A missing `voices` or `queued` is read as 0. Returns nil if a
  /// required member is missing.
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

  /// The JSON object in a reply. `playsLeft` is null for an endless loop, `peak` is null for
  /// silence.
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
