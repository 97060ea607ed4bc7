internal import CommandLine
internal import Devices
internal import Permission

/// The facts that the checks judge, so that each judgement is tested without its machine.
struct Machine: Equatable {
  /// Where the engine lies.
  var engine = ""
  /// The names of the sound cards; nil where the kernel has no sound at all.
  var cards: [String]?
  /// The device files of the cards that this user may not use.
  var closedDevices: [String] = []
  var user = User()
  var servers: [SoundServer] = []
  /// What the default device answered, each way.
  var defaults: [Direction: DefaultDevice] = [:]
  var places: [Place] = []
  /// Nil where no PipeWire runs.
  var pipeWire: PipeWireState?
  /// The mixer controls that keep everything from being heard.
  var silenced: [Silenced] = []
  /// The cards' devices that somebody uses.
  var held: [DeviceDescription] = []
  /// Nil where it cannot be asked for, which other checks tell.
  var permission: PermissionFinding?
  /// Where the runtime directory should be; nil where it is.
  var missingRuntime: String?

  struct User: Equatable {
    var name = ""
    /// Whether the user database has them in the group `audio`.
    var isInAudioGroup = false
    /// Whether this process got that group when its session began.
    var hasAudioGroup = false
  }

  /// A sound server that other programs play through.
  struct SoundServer: Equatable {
    var name: String
    /// Its socket is there.
    var isRunning: Bool
    /// ALSA's way to it is installed.
    var hasPlugin: Bool
    /// The packages that bring the plugin.
    var packages: String
  }

  /// What came of asking the device `default` what it can do.
  enum DefaultDevice: Equatable {
    case able(String)
    case unable(DeviceError)
    /// It hears, and may not be opened without the permission.
    case withheld
  }

  enum PipeWireState: Equatable {
    case answers(PipeWireGraph)
    case silent(PipeWire.Silence)
  }

  /// A control that lets nothing through.
  struct Silenced: Equatable {
    /// The card's name, or the server's.
    let place: String
    let control: MixerControl
    /// What opens it.
    let advice: String
  }

  /// Whether the microphone may be used, and why.
  struct PermissionFinding: Equatable {
    let status: AuthorizationStatus
    let code: ExitCode
    let cause: String
    let advice: [String]
  }

  /// A directory that is written to.
  struct Place: Equatable {
    /// What goes there, such as `State`.
    var purpose: String
    var path: String
    /// Why it cannot be used.
    var flaw: String?
    var freeBytes: Int64?
  }
}
