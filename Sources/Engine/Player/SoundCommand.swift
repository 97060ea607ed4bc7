internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux

/// A request about sounds that are played, or could be.
final class SoundCommand {
  enum Verb: String {
    case stop, pause, resume, rewind, replay, prepare, seek, volume, mute, unmute
  }

  let verb: Verb
  let ticket: Ticket
  /// The sound; nil is every one that is known.
  var name: String?
  /// The device; nil is each on which the sound is known.
  let device: String?
  let environment: PlayerEnvironment
  /// Where to seek to, and how long a change of volume takes.
  let place: Duration
  let fade: Duration
  let volume: Double
  /// The sound on its way to a voice, where it has none.
  var found: FoundSound?
  var loading: SoundLoading?
  var output: PlayerOutput?
  /// When the voices were told.
  var told: Duration?

  /// How long a device that went may keep a voice from doing as it was told.
  static let patience = Duration.milliseconds(300)

  init(_ request: Control.Request, _ ticket: Ticket) throws(Failure) {
    guard let verb = Verb(rawValue: request.verb) else {
      throw Failure(.usage, Message("the player cannot \(quoted(request.verb))"))
    }
    let arguments = request.arguments
    self.verb = verb
    self.ticket = ticket
    name = arguments["name"]?.string
    device = arguments["device"]?.string
    environment = PlayerEnvironment(members: arguments["environment"])
    place = max(.zero, arguments["to"].flatMap(Duration.init(json:)) ?? .zero)
    fade = max(.zero, arguments["fade"].flatMap(Duration.init(json:)) ?? .zero)
    volume = min(1, max(0, arguments["factor"]?.number ?? arguments["volume"]?.number ?? 1))
    let needsName = ![.stop, .pause, .resume].contains(verb)
    if needsName && name == nil {
      throw Failure(.usage, Message("which sound is to \(verb.rawValue)?"))
    }
  }

  /// Whether a sound that nobody has played has to be there for it.
  var needsVoice: Bool {
    switch verb {
    case .resume, .replay, .prepare, .seek: true
    case .stop, .pause, .rewind, .volume, .mute, .unmute: false
    }
  }
}
