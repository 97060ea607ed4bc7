package import JSON

/// What a sound is played with where the request comes from, so that it does not matter who started the player.
package typealias PlayerEnvironment = [String: String]

/// What is to be played, and how.
package struct PlayOrder: Hashable, Sendable {
  /// What becomes of a sound that plays already.
  package enum IfPlaying: String, Hashable, Sendable, CaseIterable {
    case restart, overlap, ignore, queue
  }

  package var sounds: [WantedSound]
  package var device: String
  package var environment: PlayerEnvironment = [:]
  package var ifPlaying = IfPlaying.restart
  /// How often in total.
  package var times = 1
  /// Over and over until it is stopped.
  package var loops = false
  /// The factor; nil is the one that stays with the name.
  package var volume: Double?
  package var fade = Duration.zero
  package var leadIn = Duration.zero
  /// No play within so long after the last one.
  package var cooldown = Duration.zero
  /// Whether the reply comes at the end and not at the beginning, and the client's leaving ends the play.
  package var waits = true

  package init(_ sounds: [WantedSound], on device: String) {
    self.sounds = sounds
    self.device = device
  }
}

extension PlayOrder: JSONConvertible {
  package init?(json: JSONValue) {
    guard let sounds = json["sounds"].flatMap([WantedSound].init(json:)), !sounds.isEmpty,
      let device = json["device"]?.string,
      let ifPlaying = json["ifPlaying"]?.string.flatMap(IfPlaying.init(rawValue:)),
      let times = json["times"]?.integer(in: 0...Int.max / 2), let loops = json["loop"]?.bool,
      let waits = json["wait"]?.bool
    else { return nil }
    self.init(sounds, on: device)
    self.environment = PlayerEnvironment(members: json["environment"])
    self.ifPlaying = ifPlaying
    self.times = times
    self.loops = loops
    self.waits = waits
    volume = json["volume"]?.number
    fade = json["fade"].flatMap(Duration.init(json:)) ?? .zero
    leadIn = json["leadIn"].flatMap(Duration.init(json:)) ?? .zero
    cooldown = json["cooldown"].flatMap(Duration.init(json:)) ?? .zero
  }

  package var json: JSONValue {
    var members: JSONObject = ["sounds": sounds.json, "device": device.json]
    members["environment"] = environment.object
    members.set("ifPlaying", ifPlaying.rawValue)
    members.set("times", times)
    members.set("loop", loops)
    members.set("wait", waits)
    members.set("volume", volume)
    members.set("fade", fade)
    members.set("leadIn", leadIn)
    members.set("cooldown", cooldown)
    return .object(members)
  }
}

extension PlayerEnvironment {
  /// Reads an object of strings; what is none is empty.
  package init(members json: JSONValue?) {
    self.init()
    for member in json?.object?.members ?? [] { self[member.key] = member.value.string }
  }

  /// The object of strings.
  package var object: JSONValue {
    .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
  }
}
