internal import Audio
package import Control
package import Decoding
internal import Devices
package import Linux
internal import Playback

/// The settings of a player.
package struct PlayerSettings: Sendable {
  /// The directory that stores volumes, mutes and the times of the last plays. If it does not
  /// exist, only the times of the last plays are stored.
  package var memory: String
  /// The directory of the bundled sounds, or nil for none.
  package var bundled: String?
  /// The decoder of all sounds that are not bundled, or nil to decode in this process.
  package var decoder: DecoderStart?
  /// The longest time that a call to an open device may take.
  package var patience = Duration.seconds(10)
  /// The function that opens devices. By default it uses the environment of this process.
  package var opener: DeviceOpener = { device, _, request throws(DeviceError) in
    try PlaybackDevice(device, request)
  }

  /// The settings of a player that stores its data in the directory `memory`.
  package init(memory: String, bundled: String? = nil) {
    self.memory = memory
    self.bundled = bundled
  }
}

/// Plays sounds by name or by file on any number of devices. It starts no processes except through
/// the decoder of its settings.
///
/// Only one thread at a time may use it. The thread polls `descriptors` until `deadline`, calls
/// `advance`, then takes the answers. Calls that can block are made on the threads of the devices
/// and decoders.
package final class Player {
  private let settings: PlayerSettings
  private let loader: SoundLoader
  private var memory: SoundStore
  private var outputs: [PlayerOutput] = []
  /// The libraries, by the environments of the programs.
  private var libraries: [Set<Path>: SoundLibrary] = [:]
  /// The commands that are not complete yet.
  private var commands: [SoundCommand] = []
  private var answers: [(order: PlayerOrderID, answer: PlayerAnswer)] = []
  private var orders = 0

  /// The time after the last sound during which the buffer of a device may still hold frames.
  private static let rest = Duration.seconds(1)

  /// - Parameter opening: a device that is already being opened for the first sound, or nil.
  package init(_ settings: PlayerSettings, _ opening: OutputOpening? = nil) throws(SystemError) {
    self.settings = settings
    let wakeup: Wakeup
    if let opening { wakeup = opening.wakeup } else { wakeup = try Wakeup() }
    loader = SoundLoader(settings.decoder, wakeup)
    memory = SoundStore(in: settings.memory)
    if let opening { outputs = [PlayerOutput(opening, settings.patience)] }
  }

  /// Ends all plays, answers the clients that wait for them, and stores the times of the last
  /// plays.
  package func end() {
    memory.played.save()
    for output in outputs {
      output.output?.stop()
      for job in output.jobs { job.end(.stopped) }
      answers += output.takeAnswers()
    }
    outputs = []
  }
}

extension Player {
  /// Plays sounds. Throws if a name is unknown or a file cannot be opened.
  package func play(_ order: PlayOrder) throws(SoundError) -> PlayerOrderID {
    let library = library(for: order.environment)
    var found: [(index: Int, file: PlayFile)] = []
    var disabled: [PlayResult.Played?] = []
    for (index, wanted) in order.sounds.enumerated() {
      let file = try PlayFile.find(wanted, in: library)
      // Only the first file stays open. The other files are opened again when they are played,
      // because a process can open only some hundred files.
      if !found.isEmpty { file?.close() }
      if let file { found.append((index, file)) }
      let outcome = PlayResult.Played(wanted.name, output: order.device, .disabled)
      disabled.append(file == nil ? outcome : nil)
    }
    let identifier = nextOrder()
    guard !found.isEmpty else {
      answers.append((identifier, .played(PlayResult(disabled.compactMap(\.self)))))
      return identifier
    }
    let job = PlayJob(order, identifier, found, disabled, loader)
    job.skipMuted(memory)
    if let answer = job.isOver ? job.takeAnswer() : nil {
      answers.append((identifier, answer))
    } else {
      output(order.device, order.environment, for: found.map(\.file)).add(job)
    }
    return identifier
  }

  /// Starts an action, such as a pause, on the sounds that a request names. Throws if the name is
  /// unknown.
  package func perform(_ request: SoundRequest) throws(SoundError) -> PlayerOrderID {
    let command = SoundCommand(nextOrder(), request)
    try find(for: command)
    try remember(command.request)
    if request.verb == .stop { for earlier in commands { earlier.cancel(for: command) } }
    commands.append(command)
    loader.wakeup.signal()
    return command.identifier
  }

  /// Fades out a play whose client has disconnected, and gives no answer.
  package func abandon(_ order: PlayerOrderID) {
    for output in outputs { output.abandon(order) }
  }

  private func nextOrder() -> PlayerOrderID {
    orders += 1
    return PlayerOrderID(number: orders)
  }

  /// Finds the sound that a command names. Searches the sounds that were played under the name,
  /// then the library, then the played files whose path ends with the name. Throws if there is no
  /// such sound. If the action needs a voice and the sound was not played yet, requests a voice for
  /// the sound.
  private func find(for command: SoundCommand) throws(SoundError) {
    let request = command.request
    guard let name = request.name, command.namedSounds(on: outputs).isEmpty else { return }
    let names = outputs.flatMap(\.names)
    if names.contains(where: { $0.isSameName(as: name) }), !command.needsVoice { return }
    // `prepare` waits for a voice. Any other command applies to the plays that are about to begin.
    let isLoading = outputs.contains { !$0.loading(request).isEmpty }
    if isLoading, request.verb != .prepare { return }
    let library = library(for: request.environment)
    let paths = Set(names: names.filter { $0.ends(with: "/" + name) }).map(\.text).sorted()
    if !paths.isEmpty, !library.has(name) {
      guard paths.count == 1 else { throw .ambiguous(name: name, paths: paths) }
      return command.request.name = paths[0]
    }
    var wanted = WantedSound(name, path: name.begins(with: "/") ? name : nil, raw: request.raw)
    wanted.mix = request.mix
    let found = try PlayFile.find(wanted, in: library)
    guard command.needsVoice, let found else { return }
    let usual = request.environment[PlayOrder.deviceVariable] ?? "default"
    let output = output(request.device ?? usual, request.environment, for: [found])
    command.want(SoundPlayback(.file(found), loader), on: output)
  }

  private func remember(_ request: SoundRequest) throws(SoundError) {
    guard let name = request.name else { return }
    try mapError(SoundError.system) { () throws(SystemError) in
      switch request.verb {
      case .volume: try memory.setVolume(of: name, to: request.volume)
      case .mute: try memory.mute(name, true)
      case .unmute: try memory.mute(name, false)
      default: break
      }
    }
  }

  /// Returns the output of a device; starts to open the device if necessary.
  private func output(
    _ device: String, _ environment: PlayerEnvironment, for sounds: [PlayFile]
  ) -> PlayerOutput {
    let key = OutputKey(device, environment)
    if let output = outputs.first(where: { $0.key == key && $0.failure == nil }) { return output }
    let isLong = sounds.contains { PlayOrder.isLong(file: $0.path ?? "") }
    let opening = OutputOpening(key, loader.wakeup, forLong: isLong, by: settings.opener)
    let output = PlayerOutput(opening, settings.patience)
    outputs.append(output)
    return output
  }

  private func library(for environment: PlayerEnvironment) -> SoundLibrary {
    let key = environment.entries
    if let library = libraries[key] { return library }
    if libraries.count >= 16 { libraries = [:] }
    let library = SoundLibrary(for: environment, bundled: settings.bundled)
    libraries[key] = library
    return library
  }
}

extension Player {
  /// The descriptors that become readable when `advance` must be called.
  package var descriptors: [Int32] {
    [loader.wakeup.number] + outputs.compactMap { $0.output?.changed.number }
  }

  /// The time on the monotonic clock at which `advance` must be called even without an event, or
  /// nil if there is no such time.
  package var deadline: Duration? {
    (outputs.compactMap(\.deadline) + commands.compactMap(\.deadline)).min()
  }

  /// Advances all orders and commands as far as possible.
  package func advance() {
    loader.wakeup.clear()
    for output in outputs { output.advance(memory) }
    // Commands can end plays, so they are processed before the answers of the plays are collected.
    commands.removeAll { command in
      guard let answer = answer(to: command) else { return false }
      answers.append((command.identifier, answer))
      return true
    }
    for output in outputs { answers += output.takeAnswers() }
    outputs.removeAll { $0.failure != nil }
  }

  private func answer(to command: SoundCommand) -> PlayerAnswer? {
    do throws(SoundError) {
      guard try command.perform(on: outputs, memory) else { return nil }
      return .done(command.statuses(on: outputs, memory))
    } catch {
      return .refused(error)
    }
  }

  /// Returns the answers since the last call, and clears them.
  package func takeAnswers() -> [(order: PlayerOrderID, answer: PlayerAnswer)] {
    defer { answers = [] }
    return answers
  }
}

extension Player {
  /// The state of all sounds and all open devices.
  package var status: PlayerStatus {
    let devices = outputs.compactMap { output in
      output.output.map {
        PlayerStatus.Device(name: output.key.device, format: $0.format, underruns: $0.underruns)
      }
    }
    return PlayerStatus(sounds: outputs.flatMap { $0.statuses(memory) }, devices: devices)
  }

  /// Whether a sound is playing or about to play, or a command is in progress.
  package var isBusy: Bool { !commands.isEmpty || outputs.contains { !$0.isQuiet } }

  /// Whether a sound is paused. A stopped sound does not count.
  package var isPaused: Bool { outputs.contains(where: \.isPaused) }

  /// Whether the last sound has left the buffers of all devices, and no paused or stopped sound can
  /// be resumed at its position.
  package var isAtRest: Bool {
    let now = KernelClock.monotonic.now
    return !isBusy && !outputs.contains(where: \.holdsPositions)
      && outputs.allSatisfy { now - $0.busy > Self.rest }
  }

  /// The orders whose client waits for the end of the play.
  package var waiting: [PlayerOrderID] {
    outputs.flatMap { output in
      output.jobs.filter { $0.order.waits && !$0.isAbandoned }.map(\.identifier)
    }
  }

  /// Closes the devices that have been idle for longer than `limit`.
  package func closeOutputs(idleFor limit: Duration) {
    let now = KernelClock.monotonic.now
    outputs.removeAll { output in
      guard output.isQuiet, !output.holdsPositions, now - output.busy > limit else { return false }
      output.output?.stop()
      return true
    }
  }
}
