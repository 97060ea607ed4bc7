internal import Audio
internal import Control
internal import Linux
internal import Playback

/// An action in progress. The command ends when the voices have carried out the action.
final class SoundCommand {
  let identifier: PlayerOrderID
  var request: SoundRequest
  /// The time at which the voices received the command, or nil if it was not sent yet.
  private var sent: Duration?
  /// The playback that needs a voice, and the output for the voice, or nil if no voice is needed.
  private var wanted: (playback: SoundPlayback, output: PlayerOutput)?

  /// The longest wait for the voices. While the device of a voice is disconnected, the voice may
  /// take longer to carry out a command, or may never carry it out.
  private static let patience = Duration.milliseconds(300)

  init(_ identifier: PlayerOrderID, _ request: SoundRequest) {
    self.identifier = identifier
    self.request = request
  }
}

extension SoundCommand {
  /// The time at which the command is answered even if a voice has not carried it out, or nil
  /// before the command is sent.
  var deadline: Duration? { sent.map { $0 + Self.patience } }

  /// Whether the action needs a voice even if the sound was not played yet.
  var needsVoice: Bool { [.resume, .replay, .prepare, .seek].contains(request.verb) }

  /// Requests a voice on an output for a sound that was not played yet. The command is sent when
  /// the sound has its voice.
  func want(_ playback: SoundPlayback, on output: PlayerOutput) { wanted = (playback, output) }

  /// Returns the named sounds of the request. Without a name, a resume applies only to paused
  /// sounds, so that stopped sounds do not start.
  func namedSounds(on outputs: [PlayerOutput]) -> [(PlayerOutput, NamedSound)] {
    outputs.flatMap { output -> [(PlayerOutput, NamedSound)] in
      guard output.output != nil, isAbout(output) else { return [] }
      guard let name = request.name else {
        return output.known.compactMap { named in
          request.verb != .resume || named.isPaused ? (output, named) : nil
        }
      }
      return output.namedSound(name).map { [(output, $0)] } ?? []
    }
  }

  /// Returns the states of the request's sounds.
  func statuses(on outputs: [PlayerOutput], _ memory: SoundStore) -> [SoundStatus] {
    outputs.filter(isAbout).flatMap { $0.statuses(memory) }
      .filter { request.isAbout($0.name) }
  }

  /// Sends the command as soon as possible; returns true once the voices have carried it out or
  /// `deadline` has passed.
  func perform(
    on outputs: [PlayerOutput], _ memory: SoundStore
  ) throws(SoundError) -> Bool {
    guard try prepare(memory) else { return false }
    if sent == nil {
      for (output, named) in namedSounds(on: outputs) {
        output.use(named.name)
        send(to: named)
      }
      if request.verb == .stop {
        for output in outputs where isAbout(output) { output.stop(request) }
      }
      for output in outputs { output.apply(request) }
      sent = KernelClock.monotonic.now
    }
    if let deadline, KernelClock.monotonic.now > deadline { return true }
    return !namedSounds(on: outputs).contains { $0.1.playbacks.contains(where: \.isPending) }
  }

  /// Cancels this command if it was not sent yet and would start a sound that the later command
  /// `stop` ends.
  func cancel(for stop: SoundCommand) {
    guard sent == nil, [.resume, .replay].contains(request.verb), let (playback, output) = wanted,
      stop.isAbout(output), stop.request.isAbout(playback.source.name)
    else { return }
    wanted = nil
    sent = KernelClock.monotonic.now
  }

  private func isAbout(_ output: PlayerOutput) -> Bool {
    request.isAbout(device: output.key.device)
  }

  /// Gives the sound a voice if a voice was requested. Returns false while the device or the sound
  /// is not ready.
  private func prepare(_ memory: SoundStore) throws(SoundError) -> Bool {
    guard let (playback, owner) = wanted else { return true }
    if let failure = owner.failure { throw failure }
    guard let output = owner.output else { return false }
    let name = playback.source.name
    if owner.namedSound(name) != nil { return true }
    guard try playback.load(for: output) else { return false }
    try SoundError.of(
      name, owner.prepare(playback, usually: request.usualVolume, output, memory))
    return true
  }

  private func send(to named: NamedSound) {
    let (main, all) = (named.main, named.playbacks)
    switch request.verb {
    case .stop: for playback in all { playback.stop() }
    case .pause: for playback in all { playback.send(.pause) }
    case .resume:
      main.restoreVolume()
      for playback in all { playback.send(.resume) }
    case .rewind: main.send(.rewind)
    case .replay:
      main.restoreVolume()
      main.send(.replay)
    case .seek: main.seek(to: request.position)
    case .volume:
      for playback in all { playback.setVolume(Float(request.volume), within: request.fade) }
    case .mute: for playback in all { playback.send(.mute(true)) }
    case .unmute: for playback in all { playback.send(.mute(false)) }
    case .prepare, .status, .watch, .leave, .play: break
    }
  }
}
