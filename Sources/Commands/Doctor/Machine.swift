internal import Audio
internal import Devices
internal import Linux
internal import Permission

/// The facts about a machine, for the checks. A test can set the facts instead of reading them.
struct Machine: Equatable {
  /// The path of the program.
  var program = ""
  /// The names of the sound cards, or nil if the kernel's list of cards cannot be read.
  var cards: [String]?
  /// The paths of the sound devices that this user may not open.
  var closedDevices: [String] = []
  var user = User()
  var servers: [SoundServer] = []
  /// For each direction, the result of opening the device that is used without `--device`.
  var defaults: [Direction: DefaultDevice] = [:]
  /// The devices that a variable or a setting names, instead of ALSA's default.
  var chosen: [ChosenDevice] = []
  var usedDirectories: [UsedDirectory] = []
  /// The state of PipeWire, or nil if it is not running.
  var pipeWire: PipeWireState?
  /// The mixer controls that are muted or at 0 %.
  var silenced: [Silenced] = []
  /// The kernel's sound devices that are in use.
  var held: [DeviceDescription] = []
  /// The decision about microphone access. If it cannot be read, it is nil, and another check
  /// reports the reason.
  var permission: PermissionFinding?
  /// The decision about system audio, or nil if nothing is known about it.
  var systemAudio: PermissionFinding?
  /// The guard, or nil if neither a guard nor PipeWire is running.
  var guarding: GuardFacts?
  /// The expected runtime directory, or nil if it exists.
  var missingRuntime: String?

  struct User: Equatable {
    var name = ""
    /// Whether the user database lists the user in the group `audio`.
    var isInAudioGroup = false
    /// Whether this process has the group `audio`. A process gets the groups that the user had at
    /// the login.
    var hasAudioGroup = false
  }

  /// A sound server that programs can use instead of ALSA.
  struct SoundServer: Equatable {
    var name: String
    /// True if its socket exists.
    var isRunning: Bool
    /// True if the ALSA plugin for the server is installed.
    var hasPlugin: Bool
    /// The packages that contain the plugin.
    var packages: String
  }

  /// The result of reading the capabilities of a device that is used without `--device`.
  enum DefaultDevice: Equatable {
    case able(String)
    case unable(DeviceError)
    /// The capture device was not opened, because microphone access is missing.
    case withheld
    /// The device was not opened, because it is built in or records the sound that this machine
    /// plays.
    case unchecked
  }

  enum PipeWireState: Equatable {
    case answers(PipeWireGraph)
    case silent(PipeWireDump.Failure)
  }

  /// A mixer control that is muted or at 0 %.
  struct Silenced: Equatable {
    /// The name of the card or of the server.
    let owner: String
    let control: MixerControl
    /// The command that unmutes the control or raises its volume.
    let advice: String
  }

  /// The decision about a service, and its cause.
  struct PermissionFinding: Equatable {
    let status: AuthorizationStatus
    let code: ExitCode
    let cause: String
    let advice: [String]
  }

  /// A directory that the program writes to.
  struct UsedDirectory: Equatable {
    /// The purpose of the directory, such as `State`.
    var purpose: String
    var path: String
    /// The reason why the directory cannot be used, or nil if it can be used.
    var flaw: String?
    var freeBytes: Int64?
  }
}

extension Machine {
  /// Reads the facts of this machine; records, plays and changes nothing.
  static func current() -> Machine {
    var machine = Machine()
    machine.program = (try? ExecutablePath.current()) ?? "at an unknown path"
    machine.cards = soundCards()
    machine.closedDevices = SoundDeviceFiles.all.filter { !FileSystem.mayReadAndWrite($0) }
    machine.user = currentUser()
    machine.chosen = Direction.allCases.compactMap(ChosenDevice.init)
    for direction in Direction.allCases {
      let chosen = machine.chosen.first { $0.direction == direction }
      machine.defaults[direction] = opened(chosen?.device ?? "default", direction)
    }
    machine.readDirectories()
    machine.readSound()
    let isServed = machine.servers.contains { $0.name == "PipeWire" && $0.isRunning }
    machine.guarding = GuardFacts.current(isServed: isServed)
    if let authority = try? Authority.current() {
      // These decisions apply to a recording that starts now. The user is not prompted.
      let situation = authority.situation(AccessQuery())
      machine.permission = PermissionFinding(situation)
      let other = situation.about([.systemAudio])
      machine.systemAudio = other.knows(other.decide()) ? PermissionFinding(other) : nil
    }
    return machine
  }

  private static func opened(_ device: String, _ direction: Direction) -> DefaultDevice {
    guard direction == .playback || CaptureAccess().allows(device) else { return .withheld }
    do throws(DeviceError) {
      guard case .alsa = try DeviceName(device, for: direction) else { return .unchecked }
      return .able(try Capabilities(of: device, direction).summary)
    } catch {
      return .unable(error)
    }
  }

  /// Reads /proc/asound/cards: two lines per card, the first with its name. Returns nil if the file
  /// cannot be read.
  private static func soundCards() -> [String]? {
    guard let bytes = try? Descriptor(opening: "/proc/asound/cards").readAll(upTo: 65_536) else {
      return nil
    }
    return cardNames(String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the names: `HDA Intel PCH` for ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`.
  static func cardNames(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).compactMap { line in
      guard line.holds("]: "), let dash = line.range(of: " - ") else { return nil }
      return String(line[dash.upperBound...])
    }
  }

  private static func currentUser() -> User {
    let number = Environment.effectiveUser
    guard let account = try? UserAccount(number) else { return User(name: "user \(number)") }
    let audio = (try? UserGroup(named: "audio"))?.identifier
    return User(
      name: account.name, isInAudioGroup: audio.map(account.groups().contains) ?? false,
      hasAudioGroup: audio.map(Environment.groups.contains) ?? false)
  }

  private mutating func readDirectories() {
    let takes = Configuration.asFarAsGood().directory ?? currentDirectory
    usedDirectories = [UsedDirectory(purpose: "Disk", path: takes)]
    do throws(DirectoryRefusal) {
      guard let facts = try? BaseDirectories.Facts.current() else { return }
      let directories = try BaseDirectories(facts)
      usedDirectories.append(UsedDirectory(purpose: "State", path: directories.state))
      usedDirectories.append(UsedDirectory(purpose: "Sockets", path: directories.runtime))
      if directories.runtime.isSameName(as: directories.state) {
        missingRuntime = "/run/user/\(Environment.effectiveUser)"
      }
      servers = Self.soundServers(runtime: directories.runtime)
    } catch {
      usedDirectories.append(
        UsedDirectory(purpose: "State", path: error.path, flaw: "it \(error.words)"))
    }
    for index in usedDirectories.indices { usedDirectories[index].measure() }
  }

  private var currentDirectory: String {
    (try? SymbolicLink.target(of: "/proc/self/cwd")) ?? "."
  }
}

extension Machine.UsedDirectory {
  /// Measures the free space, and sets `flaw` if the user may not write. If the directory does not
  /// exist, checks its nearest existing parent, where a command would create the directory.
  fileprivate mutating func measure() {
    guard flaw == nil else { return }
    var names = path.pathNames
    var existing = path
    while (try? FileStatus(of: existing)) == nil, !names.isEmpty {
      names.removeLast()
      existing = "/" + names.joined(separator: "/")
    }
    freeBytes = try? FileSystem.freeBytes(at: existing)
    if !FileSystem.mayReadAndWrite(existing) { flaw = "you may not write to \(existing)" }
  }
}

extension Machine {
  /// Reads PipeWire, the mixers and the devices in use.
  private mutating func readSound() {
    let isServed = servers.contains { $0.name == "PipeWire" && $0.isRunning }
    if isServed { pipeWire = Self.pipeWireState() }
    silenced = Direction.allCases.flatMap { silencedCards($0) + silencedNodes($0) }
    held = DeviceList.kernel(Direction.allCases).filter { !$0.holders.isEmpty }
  }

  private func silencedCards(_ direction: Direction) -> [Silenced] {
    var names: [Int: String] = [:]
    for case .kernel(let card) in DeviceList.kernel([direction]).map(\.origin) {
      names[card.number] = card.name
    }
    return names.sorted { $0.key < $1.key }.flatMap { number, name in
      MixerControl.controls(of: "hw:\(number)", direction).silencing.map { control in
        let opening = direction == .capture ? "cap" : "unmute"
        return Silenced(
          owner: name, control: control,
          advice: "amixer -c \(number) sset '\(printable(control.name))' 70% \(opening)")
      }
    }
  }

  /// Returns the default nodes that are muted or at 0 %. The state comes from the server itself,
  /// because PipeWire's mixer for ALSA shows 0 % for a source without a route.
  private func silencedNodes(_ direction: Direction) -> [Silenced] {
    guard case .answers(let graph) = pipeWire else { return [] }
    let ours = graph.nodes(direction).filter { $0.defaults.contains(direction) }
    return ours.compactMap { node in
      let control = MixerControl(
        name: node.title, direction: direction, isMuted: node.isMuted, volume: node.volume)
      let target = direction == .capture ? "@DEFAULT_AUDIO_SOURCE@" : "@DEFAULT_AUDIO_SINK@"
      let change = node.isMuted ? "set-mute \(target) 0" : "set-volume \(target) 70%"
      return control.isSilent
        ? Silenced(owner: "PipeWire", control: control, advice: "wpctl \(change)") : nil
    }
  }

  private static func pipeWireState() -> PipeWireState {
    do throws(PipeWireDump.Failure) {
      return .answers(try PipeWireDump.graph())
    } catch {
      return .silent(error)
    }
  }
}

extension Machine.PermissionFinding {
  fileprivate init(_ situation: Situation) {
    let decision = situation.decide()
    let phrasing = MicrophoneAccess.phrasing
    self.init(
      status: decision.status, code: decision.exitCode,
      cause: phrasing.cause(decision, of: situation.account),
      advice: phrasing.advice(in: situation))
  }
}
