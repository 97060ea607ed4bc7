internal import Audio
internal import Control
internal import Linux
internal import Playback

/// An action in progress, until its voices have carried it out.
final class SoundCommand {
  let identifier: PlayerOrderID
  let action: SoundAction
  private(set) var target: SoundTarget
  /// The time at which the voices received the command, or nil if it was not sent yet.
  private var sent: Duration?
  /// The sound that needs a voice and the output for it, or nil if no voice is needed.
  private var wanted: (found: FoundSound, output: PlayerOutput)?
  private var loading: SoundLoading?

  /// The longest wait for the voices. A voice does not answer if its device was disconnected.
  private static let patience = Duration.milliseconds(300)

  init(_ identifier: PlayerOrderID, _ action: SoundAction, _ target: SoundTarget) {
    self.identifier = identifier
    self.action = action
    self.target = target
  }
}

extension SoundCommand {
  /// The time at which the command is answered even if a voice has not carried it out, or nil
  /// before the command is sent.
  var deadline: Duration? { sent.map { $0 + Self.patience } }

  /// Whether the action needs a voice even if the sound was not played yet.
  var needsVoice: Bool { action.needsVoice }

  /// Changes the target to the sound with this path.
  func redirect(to path: String) { target.name = path }

  /// Requests a voice on an output for a sound that was not played yet. The command is sent after
  /// that.
  func want(_ found: FoundSound, on output: PlayerOutput) { wanted = (found, output) }

  /// Returns the tracks of the target. Without a name, a resume applies only to paused sounds, so
  /// that it does not start stopped ones.
  func tracks(on outputs: [PlayerOutput]) -> [(PlayerOutput, Track)] {
    outputs.flatMap { output -> [(PlayerOutput, Track)] in
      guard let device = output.output, isAbout(output) else { return [] }
      guard let name = target.name else {
        return output.known.compactMap { track in
          let isPaused = device.report(of: track.main)?.state == .paused
          return action != .resume || isPaused ? (output, track) : nil
        }
      }
      return output.track(name).map { [(output, $0)] } ?? []
    }
  }

  /// Returns the states of the target's sounds.
  func statuses(on outputs: [PlayerOutput], _ memory: SoundStore) -> [SoundStatus] {
    outputs.filter(isAbout).flatMap { $0.statuses(memory) }
      .filter { target.name == nil || $0.name == target.name }
  }

  /// Sends the command as soon as possible; returns true once the voices have carried it out.
  func perform(on outputs: [PlayerOutput], _ loader: SoundLoader) throws(SoundError) -> Bool {
    guard try prepare(loader) else { return false }
    if sent == nil {
      for (output, track) in tracks(on: outputs) { try send(track, of: output) }
      sent = KernelClock.monotonic.now
    }
    if let deadline, KernelClock.monotonic.now > deadline { return true }
    return tracks(on: outputs).allSatisfy { output, track in
      track.voices.allSatisfy { output.output?.report(of: $0)?.isPending != true }
    }
  }

  private func isAbout(_ output: PlayerOutput) -> Bool {
    target.device == nil || target.device == output.key.device
  }

  /// Gives the sound a voice if it needs one; returns false while that is in progress.
  private func prepare(_ loader: SoundLoader) throws(SoundError) -> Bool {
    guard let (found, playerOutput) = wanted else { return true }
    if let failure = playerOutput.failure { throw failure }
    guard let output = playerOutput.output else { return false }
    if playerOutput.track(found.name) != nil { return true }
    let loading = loading ?? loader.load(found, for: output.format)
    self.loading = loading
    guard let result = loading.result else { return false }
    let sound = try result.get()
    do throws(OutputError) {
      try playerOutput.prepare(found, sound, output)
    } catch {
      throw .noVoice(name: found.name, error)
    }
    return true
  }

  private func send(_ track: Track, of playerOutput: PlayerOutput) throws(SoundError) {
    guard let output = playerOutput.output else { return }
    playerOutput.use(track.name)
    do throws(OutputError) {
      try send(track, output)
    } catch {
      throw .untold(action, name: track.name, error)
    }
    if action == .stop { playerOutput.stop(track.name) }
  }

  private func send(_ track: Track, _ output: Output) throws(OutputError) {
    let rate = output.format.rate
    switch action {
    case .stop: for voice in track.voices { try output.send(.stop, to: voice) }
    case .pause: for voice in track.voices { try output.send(.pause, to: voice) }
    case .resume:
      try track.restoreVolume(on: output)
      for voice in track.voices { try output.send(.resume, to: voice) }
    case .rewind: try output.send(.rewind, to: track.main)
    case .replay:
      try track.restoreVolume(on: output)
      try output.send(.replay, to: track.main)
    case .seek(let position): try output.send(.seek(FrameCount(position, at: rate)), to: track.main)
    case .volume(let volume, let fade):
      track.volume = Float(volume)
      let frames = FrameCount(fade, at: rate)
      for voice in track.voices {
        try output.send(.volume(track.volume, within: frames), to: voice)
      }
    case .mute: for voice in track.voices { try output.send(.mute(true), to: voice) }
    case .unmute: for voice in track.voices { try output.send(.mute(false), to: voice) }
    case .prepare: break
    }
  }
}
