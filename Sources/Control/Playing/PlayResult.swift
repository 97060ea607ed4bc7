package import JSON

/// What became of an order.
package struct PlayResult: Hashable, Sendable {
  /// What became of one sound.
  package struct Played: Hashable, Sendable {
    /// How it stands, or why it was not heard.
    package enum Reason: String, Hashable, Sendable {
      /// It plays now.
      case playing
      /// It was heard to its end.
      case ended
      /// Somebody stopped it.
      case stopped
      /// It was played anew by somebody else.
      case displaced
      /// It played already, or had just been played.
      case ignored
      /// It is muted.
      case muted
      /// The theme says that it is not to be heard.
      case disabled
    }

    package var name: String
    package var output: String
    package var reason: Reason
    /// CLOCK_MONOTONIC just before its first frame was written; nil where none was.
    package var started: Duration?
    package var duration: Duration?
    /// The time since it was last played, if it was not played again because of that.
    package var playedBefore: Duration?

    package init(_ name: String, output: String, _ reason: Reason) {
      self.name = name
      self.output = output
      self.reason = reason
    }
  }

  package var sounds: [Played]

  package init(_ sounds: [Played]) { self.sounds = sounds }

  /// Whether somebody else ended it.
  package var isDisplaced: Bool {
    sounds.contains { $0.reason == .stopped || $0.reason == .displaced }
  }
}

extension PlayResult.Played: JSONConvertible {
  package init?(json: JSONValue) {
    guard let name = json["name"]?.string, let output = json["output"]?.string,
      let reason = json["reason"]?.string.flatMap(Reason.init(rawValue:))
    else { return nil }
    self.init(name, output: output, reason)
    started = json["started"].flatMap(Duration.init(json:))
    duration = json["duration"].flatMap(Duration.init(json:))
    playedBefore = json["playedBefore"].flatMap(Duration.init(json:))
  }

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
  package init?(json: JSONValue) {
    guard let sounds = json["sounds"].flatMap([Played].init(json:)) else { return nil }
    self.init(sounds)
  }

  package var json: JSONValue { ["sounds": sounds.json] }
}
