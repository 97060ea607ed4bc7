package import Control
package import JSON

/// A change to sounds.
package enum SoundAction: Equatable, Sendable {
  /// Ends the sound; its position is kept.
  case stop
  /// Pauses the sound at its position.
  case pause
  /// Resumes the sound from its position.
  case resume
  /// Seeks to the beginning; a playing sound continues from there.
  case rewind
  /// Plays the sound from its beginning.
  case replay
  /// Gives the sound a voice, so that its next play begins at once.
  case prepare
  /// Seeks to a position; one past the end is the end.
  case seek(to: Duration)
  /// Sets the gain factor within `fade`, 1 leaving the samples as they are; it is stored.
  case volume(Double, fade: Duration)
  /// Mutes the sound until it is unmuted; it is stored.
  case mute
  /// Unmutes the sound; it is stored.
  case unmute

  /// True if the action needs a voice even for a sound without a play.
  var needsVoice: Bool {
    switch self {
    case .resume, .replay, .prepare, .seek: true
    case .stop, .pause, .rewind, .volume, .mute, .unmute: false
    }
  }
}

/// The sounds that an action applies to.
package struct SoundTarget: Sendable {
  /// The name of the sound, or the path of its file; nil for every known sound.
  package var name: String?
  /// The device; nil for every device on which the sound is known.
  package var device: String?
  /// The variables that resolve the names of files and devices.
  package var environment: PlayerEnvironment

  /// The sound of that name on that device, resolved in a program's environment.
  package init(
    _ name: String? = nil, on device: String? = nil, environment: PlayerEnvironment = [:]
  ) {
    self.name = name
    self.device = device
    self.environment = environment
  }
}

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
