internal import Audio
internal import Control
internal import Linux
internal import Playback

/// An action under way, until the voices that it is about have done it.
final class SoundCommand {
  let identifier: PlayerOrderID
  let action: SoundAction
  private(set) var target: SoundTarget
  /// The moment at which the voices were told.
  private var told: Duration?
  /// The sound on its way to a voice, where it has none.
  private var wanted: (found: FoundSound, output: PlayerOutput)?
  private var loading: SoundLoading?

  /// The longest that a device that went may keep a voice from doing as it was told.
  private static let patience = Duration.milliseconds(300)

  init(_ identifier: PlayerOrderID, _ action: SoundAction, _ target: SoundTarget) {
    self.identifier = identifier
    self.action = action
    self.target = target
  }
}

extension SoundCommand {
  /// The moment at which it is answered although a voice has not done it.
  var deadline: Duration? { told.map { $0 + Self.patience } }

  /// True if it needs a voice for a sound that nobody has played.
  var needsVoice: Bool { action.needsVoice }

  /// Means the sound of this path from now on.
  func mean(_ path: String) { target.name = path }

  /// Gives a sound that nobody has played a voice on an output, before anything is told.
  func want(_ found: FoundSound, on output: PlayerOutput) { wanted = (found, output) }

  /// The voices that it is about.
  func tracks(on outputs: [PlayerOutput]) -> [(PlayerOutput, Track)] {
    outputs.flatMap { output -> [(PlayerOutput, Track)] in
      guard output.output != nil, isAbout(output) else { return [] }
      guard let name = target.name else { return output.known.map { (output, $0) } }
      return output.track(name).map { [(output, $0)] } ?? []
    }
  }

  /// The states of the sounds that it is about.
  func statuses(on outputs: [PlayerOutput], _ memory: SoundMemory) -> [SoundStatus] {
    outputs.filter(isAbout).flatMap { $0.statuses(memory) }
      .filter { target.name == nil || $0.name == target.name }
  }

  /// Does it where that can be done now; returns true once its voices show that they have done it.
  func perform(on outputs: [PlayerOutput], _ loader: SoundLoader) throws(SoundError) -> Bool {
    guard try prepare(loader) else { return false }
    if told == nil {
      for (output, track) in tracks(on: outputs) { try tell(track, of: output) }
      told = KernelClock.monotonic.now
    }
    if let deadline, KernelClock.monotonic.now > deadline { return true }
    return tracks(on: outputs).allSatisfy { place, track in
      track.voices.allSatisfy { place.output?.report(of: $0)?.isPending != true }
    }
  }

  private func isAbout(_ output: PlayerOutput) -> Bool {
    target.device == nil || target.device == output.key.device
  }

  /// Gives the sound a voice where it has none; false while that is under way.
  private func prepare(_ loader: SoundLoader) throws(SoundError) -> Bool {
    guard let (found, place) = wanted else { return true }
    if let failure = place.failure { throw failure }
    guard let output = place.output else { return false }
    if place.track(found.name) != nil { return true }
    let loading = loading ?? loader.load(found, for: output.format)
    self.loading = loading
    guard let result = loading.result else { return false }
    let sound = try result.get()
    do throws(OutputError) {
      try place.prepare(found, sound, output)
    } catch {
      throw .noVoice(name: found.name, error)
    }
    return true
  }

  private func tell(_ track: Track, of place: PlayerOutput) throws(SoundError) {
    guard let output = place.output else { return }
    place.use(track.name)
    do throws(OutputError) {
      try tell(track, output)
    } catch {
      throw .untold(action, name: track.name, error)
    }
    if action == .stop { place.stop(track.name) }
  }

  private func tell(_ track: Track, _ output: Output) throws(OutputError) {
    let rate = output.format.rate
    switch action {
    case .stop: for voice in track.voices { try output.tell(voice, .stop) }
    case .pause: for voice in track.voices { try output.tell(voice, .pause) }
    case .resume:
      try track.restoreVolume(on: output)
      for voice in track.voices { try output.tell(voice, .resume) }
    case .rewind: try output.tell(track.main, .rewind)
    case .replay:
      try track.restoreVolume(on: output)
      try output.tell(track.main, .replay)
    case .seek(let place): try output.tell(track.main, .seek(FrameCount(place, at: rate)))
    case .volume(let volume, let fade):
      track.volume = Float(volume)
      let frames = FrameCount(fade, at: rate)
      for voice in track.voices { try output.tell(voice, .volume(track.volume, within: frames)) }
    case .mute: for voice in track.voices { try output.tell(voice, .mute(true)) }
    case .unmute: for voice in track.voices { try output.tell(voice, .mute(false)) }
    case .prepare: break
    }
  }
}
