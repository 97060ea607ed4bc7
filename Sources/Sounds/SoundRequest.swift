internal import Audio
package import Control
internal import JSON
internal import Linux

/// A request for an action, such as a pause, on sounds that were played or that can be played.
package struct SoundRequest: Sendable {
  /// The action: any verb except `play` and the verbs about the player itself.
  package let verb: PlayerVerb
  /// The name of the sound or the path of its file, or nil for all sounds.
  package var name: String?
  /// The device, or nil for all devices that have played the sound.
  var device: String?
  /// The environment variables that resolve names of sounds and devices.
  var environment: PlayerEnvironment = [:]
  /// The position to seek to. A position past the end counts as the end.
  var position = Duration.zero
  /// The volume to set and store, as a factor. At 1, the samples are unchanged.
  var volume = 1.0
  /// The time that the change of the volume takes.
  var fade = Duration.zero
  /// The volume of a sound without a stored volume, or nil for 1.
  var usualVolume: Double?

  /// The format of the samples if the sound is a file without a header, otherwise nil.
  var raw: StreamFormat?
  /// The number of channels of each track if the sound is a file with several tracks. Empty for any
  /// other sound.
  var mix: [ChannelCount] = []

  /// Whether the request is about the sound with this name.
  func isAbout(_ other: String) -> Bool { name.map { $0.isSameName(as: other) } ?? true }

  /// Whether the request is about sounds on this device.
  func isAbout(device other: String) -> Bool { device.map { $0.isSameName(as: other) } ?? true }
}

extension SoundRequest {
  /// Reads a request of the player's protocol; returns nil if its verb is not an action on sounds.
  package init?(_ request: Control.Request) {
    guard let verb = PlayerVerb(rawValue: request.verb),
      ![.status, .watch, .leave, .play].contains(verb)
    else { return nil }
    let arguments = request.arguments
    let factor = arguments["factor"]?.number ?? arguments["volume"]?.number ?? 1
    self.init(
      verb: verb, name: arguments["name"]?.string, device: arguments["device"]?.string,
      environment: PlayerEnvironment(members: arguments["environment"]),
      position: Self.duration(arguments["to"]), volume: min(1, max(0, factor)),
      fade: Self.duration(arguments["fade"]),
      usualVolume: arguments["usualVolume"]?.number(in: 0...1),
      raw: arguments["raw"].flatMap(StreamFormat.init(json:)),
      mix: arguments["mix"].flatMap([ChannelCount].init(json:)) ?? [])
  }

  private static func duration(_ json: JSONValue?) -> Duration {
    max(.zero, json.flatMap(Duration.init(json:)) ?? .zero)
  }
}
