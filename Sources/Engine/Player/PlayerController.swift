internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Playback

extension PlayerDesk {
  /// Takes a command; what it is about is looked up at once, so that a wrong name is told.
  func take(_ command: SoundCommand) throws(Failure) {
    if let name = command.name, targets(of: command).isEmpty {
      do throws(Failure) {
        try find(name, for: command)
      } catch {
        guard let path = try path(shownAs: name) else { throw error }
        command.name = path
      }
    }
    try remember(command)
    commands.append(command)
    news.signal()
  }

  /// A name that is not played: it has to be known, and some commands have to have its voice.
  private func find(_ name: String, for command: SoundCommand) throws(Failure) {
    let path = name.hasPrefix("/") ? name : nil
    let library = library(for: command.environment)
    let found = try FoundSound(WantedSound(name, path: path), in: library)
    guard command.needsVoice, let found else { return }
    command.found = found
    command.output = output(command.device ?? "default", command.environment)
  }

  /// The file that a status shows by that name; nil where there is none.
  private func path(shownAs name: String) throws(Failure) -> String? {
    let paths = Set(outputs.flatMap(\.known).map(\.name).filter { $0.hasSuffix("/" + name) })
    guard paths.count <= 1 else {
      throw Failure(
        .usage,
        Message(
          "\(paths.count) sounds are called \(quoted(name))",
          advice: "give \(alternatives(paths.sorted().map(quoted)))"))
    }
    return paths.first
  }

  private func remember(_ command: SoundCommand) throws(Failure) {
    guard let name = command.name else { return }
    do throws(SystemError) {
      switch command.verb {
      case .volume: try memory.setVolume(of: name, to: command.volume)
      case .mute: try memory.mute(name, true)
      case .unmute: try memory.mute(name, false)
      default: break
      }
    } catch {
      throw Failure(.failed, Message("cannot remember it: \(error)"))
    }
  }

  /// The voices that it is about.
  private func targets(of command: SoundCommand) -> [(PlayerOutput, Track)] {
    outputs.flatMap { output -> [(PlayerOutput, Track)] in
      guard output.output != nil, command.device == nil || command.device == output.key.device
      else { return [] }
      guard let name = command.name else { return output.known.map { (output, $0) } }
      return output.track(name).map { [(output, $0)] } ?? []
    }
  }

  /// Does it where that can be done now; true once it is answered.
  func perform(_ command: SoundCommand) -> Bool {
    do throws(Failure) {
      guard try prepare(command) else { return false }
      if command.told == nil {
        for (output, track) in targets(of: command) { try tell(command, output, track) }
        command.told = KernelClock.monotonic.now
      }
      guard isDone(command) else { return false }
      reply(command.ticket, .done(["sounds": statuses(of: command).json]))
    } catch {
      reply(command.ticket, .refused(Refusal(error)))
    }
    return true
  }

  /// Whether the voices have done as they were told, so that their status shows it.
  private func isDone(_ command: SoundCommand) -> Bool {
    if let told = command.told, KernelClock.monotonic.now - told > SoundCommand.patience {
      return true
    }
    return targets(of: command).allSatisfy { place, track in
      track.voices.allSatisfy { place.output?.report(of: $0)?.isPending != true }
    }
  }

  /// Gives the sound a voice where it has none; false while that goes on.
  private func prepare(_ command: SoundCommand) throws(Failure) -> Bool {
    guard let found = command.found, let place = command.output else { return true }
    if let failure = place.failure { throw failure }
    guard let output = place.output else { return false }
    if place.track(found.name) != nil { return true }
    let loading = command.loading ?? SoundLoading(found, for: output.format, cache, news)
    command.loading = loading
    guard let result = loading.result else { return false }
    do {
      _ = try place.prepare(found, try result.get(), output)
      return true
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure(.failed, Message("cannot play \(quoted(found.name)): \(error)"))
    }
  }

  private func tell(
    _ command: SoundCommand, _ place: PlayerOutput, _ track: Track
  ) throws(Failure) {
    guard let output = place.output else { return }
    place.use(track.name)
    do throws(OutputError) {
      try tell(command, place, track, output)
    } catch {
      throw Failure(
        .failed, Message("cannot \(command.verb.rawValue) \(quoted(track.name)): \(error)"))
    }
  }

  private func tell(
    _ command: SoundCommand, _ place: PlayerOutput, _ track: Track, _ output: Output
  ) throws(OutputError) {
    let rate = output.format.rate
    switch command.verb {
    case .stop:
      for voice in track.voices { try output.tell(voice, .stop) }
      place.stop(track.name)
    case .pause: for voice in track.voices { try output.tell(voice, .pause) }
    case .resume:
      try restore(track, output)
      for voice in track.voices { try output.tell(voice, .resume) }
    case .rewind: try output.tell(track.main, .rewind)
    case .replay:
      try restore(track, output)
      try output.tell(track.main, .replay)
    case .seek: try output.tell(track.main, .seek(FrameCount(command.place, at: rate)))
    case .volume:
      track.volume = Float(command.volume)
      let frames = FrameCount(command.fade, at: rate)
      for voice in track.voices { try output.tell(voice, .volume(track.volume, within: frames)) }
    case .mute: for voice in track.voices { try output.tell(voice, .mute(true)) }
    case .unmute: for voice in track.voices { try output.tell(voice, .mute(false)) }
    case .prepare: break
    }
  }

  /// A fade that ended a play has left its voice silent.
  private func restore(_ track: Track, _ output: Output) throws(OutputError) {
    guard track.isFaded else { return }
    track.isFaded = false
    try output.tell(track.main, .volume(track.volume, within: 0))
  }
}

extension PlayerOutput {
  /// Ends all plays of a name, those too that wait for it.
  func stop(_ name: String) {
    for job in jobs where job.sound.name == name { job.end(.stopped) }
    guard let track = track(name), let output else { return }
    for voice in track.others { try? output.release(voice) }
    track.others = []
  }
}
