package import JSON

/// The outcome of a play order.
package struct PlayResult: Hashable, Sendable {
  /// The outcome for one sound.
  package struct Played: Hashable, Sendable {
    /// The state of a play, or the reason why it did not play.
    package enum Reason: String, Hashable, Sendable {
      /// The sound is playing.
      case playing
      /// The sound played to its end.
      case ended
      /// The sound was stopped by a client.
      case stopped
      /// The sound was restarted by another client.
      case displaced
      /// The sound was playing already, or its cooldown had not passed.
      case ignored
      /// The sound is muted.
      case muted
      /// The theme disables the sound.
      case disabled
    }

    /// The name of the sound, or the file as it was typed.
    package var name: String
    /// The playback device, as it was typed.
    package var output: String
    /// The state of the play at the time of the reply.
    package var reason: Reason
    /// CLOCK_MONOTONIC just before its first frame was written; nil where none was.
    package var started: Duration?
    /// The length of the sound; nil where it was not loaded.
    package var duration: Duration?
    /// The time since its last play, where the cooldown suppressed this one.
    package var playedBefore: Duration?

    /// The outcome of a sound that has not begun to play.
    package init(_ name: String, output: String, _ reason: Reason) {
      self.name = name
      self.output = output
      self.reason = reason
    }
  }

  /// The sounds in the order of the request.
  package var sounds: [Played]

  /// The outcome of an order with these sounds.
  package init(_ sounds: [Played]) { self.sounds = sounds }

  /// True if another client stopped or restarted one of its sounds.
  package var isDisplaced: Bool {
    sounds.contains { $0.reason == .stopped || $0.reason == .displaced }
  }
}

extension PlayResult.Played: JSONConvertible {
  /// Reads what `json` wrote; nil where the name, the output or the reason is missing or unknown.
  package init?(json: JSONValue) {
    guard let name = json["name"]?.string, let output = json["output"]?.string,
      let reason = json["reason"]?.string.flatMap(Reason.init(rawValue:))
    else { return nil }
    self.init(name, output: output, reason)
    started = json["started"].flatMap(Duration.init(json:))
    duration = json["duration"].flatMap(Duration.init(json:))
    playedBefore = json["playedBefore"].flatMap(Duration.init(json:))
  }

  /// The object of one sound; times that are nil have no member.
  package var json: JSONValue {
    var members: JSONObject = ["name": name.json]
    members.set("output", output)
    members.set("reason", reason.rawValue)
    members.set("started", started)
    members.set("duration", duration)
    members.set("playedBefore", playedBefore)
    return .object(members)
  }
}

extension PlayResult: JSONConvertible {
  /// Reads the result of a reply; nil where one of its sounds cannot be read.
  package init?(json: JSONValue) {
    guard let sounds = json["sounds"].flatMap([Played].init(json:)) else { return nil }
    self.init(sounds)
  }

  /// The result of a reply.
  package var json: JSONValue { ["sounds": sounds.json] }
}
