internal import CommandLine
internal import Devices
internal import Permission

/// The facts that the checks judge, so that each judgement is tested without its machine.
struct Machine: Equatable {
  /// The path of the engine.
  var engine = ""
  /// The names of the sound cards; nil where the kernel has no sound at all.
  var cards: [String]?
  /// The device files of the cards that this user may not use.
  var closedDevices: [String] = []
  var user = User()
  var servers: [SoundServer] = []
  /// The answer of the default device in each direction.
  var defaults: [Direction: DefaultDevice] = [:]
  var places: [Place] = []
  /// Nil where no PipeWire runs.
  var pipeWire: PipeWireState?
  /// The mixer controls that keep everything from being heard.
  var silenced: [Silenced] = []
  /// The devices of cards that are in use.
  var held: [DeviceDescription] = []
  /// Nil where the permission cannot be read, which other checks report.
  var permission: PermissionFinding?
  /// The expected runtime directory; nil where it exists.
  var missingRuntime: String?

  struct User: Equatable {
    var name = ""
    /// True if the user database has the user in the group `audio`.
    var isInAudioGroup = false
    /// True if this process got that group when its session began.
    var hasAudioGroup = false
  }

  /// A sound server that other programs play through.
  struct SoundServer: Equatable {
    var name: String
    /// True while its socket exists.
    var isRunning: Bool
    /// True if the ALSA plugin for it is installed.
    var hasPlugin: Bool
    /// The packages that contain the plugin.
    var packages: String
  }

  /// The answer of the device `default` to the question for its capabilities.
  enum DefaultDevice: Equatable {
    case able(String)
    case unable(DeviceError)
    /// The capture device was not opened, because microphone access is missing.
    case withheld
  }

  enum PipeWireState: Equatable {
    case answers(PipeWireGraph)
    case silent(PipeWire.Silence)
  }

  /// A mixer control that lets nothing through.
  struct Silenced: Equatable {
    /// The card's name, or the server's.
    let place: String
    let control: MixerControl
    /// The command that opens it.
    let advice: String
  }

  /// The decision about microphone access, and its cause.
  struct PermissionFinding: Equatable {
    let status: AuthorizationStatus
    let code: ExitCode
    let cause: String
    let advice: [String]
  }

  /// A directory that the program writes to.
  struct Place: Equatable {
    /// The use of the directory, such as `State`.
    var purpose: String
    var path: String
    /// The reason why it cannot be used; nil where it can.
    var flaw: String?
    var freeBytes: Int64?
  }
}
