internal import Audio
package import Control
package import JSON

/// The conversation with a player: requests become actions, and its state becomes a reply.
extension SoundAction {
  /// Reads a request; nil where its verb is no action on sounds.
  package init?(_ request: Control.Request) {
    let arguments = request.arguments
    switch PlayerVerb(rawValue: request.verb) {
    case .stop: self = .stop
    case .pause: self = .pause
    case .resume: self = .resume
    case .rewind: self = .rewind
    case .replay: self = .replay
    case .prepare: self = .prepare
    case .mute: self = .mute
    case .unmute: self = .unmute
    case .seek: self = .seek(to: Self.duration(arguments["to"]))
    case .volume:
      let factor = arguments["factor"]?.number ?? arguments["volume"]?.number ?? 1
      self = .volume(min(1, max(0, factor)), fade: Self.duration(arguments["fade"]))
    case .status, .watch, .leave, .play, nil: return nil
    }
  }

  private static func duration(_ json: JSONValue?) -> Duration {
    max(.zero, json.flatMap(Duration.init(json:)) ?? .zero)
  }

  /// The verb of its request.
  package var verb: PlayerVerb {
    switch self {
    case .stop: .stop
    case .pause: .pause
    case .resume: .resume
    case .rewind: .rewind
    case .replay: .replay
    case .prepare: .prepare
    case .seek: .seek
    case .volume: .volume
    case .mute: .mute
    case .unmute: .unmute
    }
  }
}

extension SoundTarget {
  /// Reads the arguments of a request.
  package init(_ arguments: JSONObject) {
    self.init(
      arguments["name"]?.string, on: arguments["device"]?.string,
      environment: PlayerEnvironment(members: arguments["environment"]))
  }
}

extension PlayerStatus {
  /// The reply to `status`, and the event of those that watch.
  package var json: JSONObject {
    let devices = devices.map { device -> JSONValue in
      [
        "device": device.name.json, "rate": device.format.rate.hertz.json,
        "channels": device.format.channels.value.json, "underruns": device.underruns.json,
      ]
    }
    return ["sounds": sounds.json, "outputs": .array(devices)]
  }
}
