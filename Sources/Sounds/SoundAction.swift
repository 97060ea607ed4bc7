package import Control
package import JSON

/// An action on sounds.
package enum SoundAction: Equatable, Sendable {
  /// Ends the sound and keeps its position.
  case stop
  /// Pauses the sound.
  case pause
  /// Resumes the sound from its position.
  case resume
  /// Seeks to the beginning. A playing sound continues from there.
  case rewind
  /// Plays the sound from its beginning.
  case replay
  /// Gives the sound a voice, so that its next play starts without delay.
  case prepare
  /// Seeks to a position. A position past the end counts as the end.
  case seek(to: Duration)
  /// Sets the volume and stores it. The volume is a factor; at 1 the samples are unchanged. The
  /// change takes the time `fade`.
  case volume(Double, fade: Duration)
  /// Mutes the sound and stores that.
  case mute
  /// Unmutes the sound and stores that.
  case unmute

  /// Whether the action needs a voice even if the sound was not played yet.
  var needsVoice: Bool {
    switch self {
    case .resume, .replay, .prepare, .seek: true
    case .stop, .pause, .rewind, .volume, .mute, .unmute: false
    }
  }
}

/// The sounds that an action applies to.
package struct SoundTarget: Sendable {
  /// The name of the sound or the path of its file, or nil for all known sounds.
  package var name: String?
  /// The device, or nil for all devices on which the sound is known.
  package var device: String?
  /// The environment variables that resolve names of sounds and devices.
  package var environment: PlayerEnvironment

  /// The sound with that name on that device, resolved in a program's environment.
  package init(
    _ name: String? = nil, on device: String? = nil, environment: PlayerEnvironment = [:]
  ) {
    self.name = name
    self.device = device
    self.environment = environment
  }
}

/// The requests of the player's protocol.
extension SoundAction {
  /// Reads a request; returns nil if its verb is not an action on sounds.
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

  /// The verb of the request for this action.
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
