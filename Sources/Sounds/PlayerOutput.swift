internal import Audio
internal import Control
internal import Decoding
internal import Linux
internal import Playback

/// An output device of the player, with its sounds.
final class PlayerOutput {
  enum State {
    case opening(OutputOpening)
    case open(Output)
    case failed(SoundError)
  }

  let key: OutputKey
  private(set) var state: State
  private(set) var jobs: [PlayJob] = []
  private var tracks: [Path: Track] = [:]
  private let loader: SoundLoader
  private var uses = 0
  /// The time at which a sound last played or was requested.
  private(set) var busy = KernelClock.monotonic.now

  /// The most names to keep after their sounds have ended.
  private static let mostTracks = 64
  /// The length of the fade-out of a sound whose client has disconnected.
  private static let farewell = Duration.milliseconds(150)

  init(_ opening: OutputOpening, _ loader: SoundLoader) {
    key = opening.key
    self.loader = loader
    state = .opening(opening)
  }

  /// The output, or nil if it is not open.
  var output: Output? { if case .open(let output) = state { output } else { nil } }

  /// The reason why the device cannot play, or nil if it can.
  var failure: SoundError? { if case .failed(let failure) = state { failure } else { nil } }

  /// All known names, from the least to the most recently used.
  var known: [Track] { tracks.values.sorted { $0.used < $1.used } }

  func track(_ name: String) -> Track? { tracks[Path(name)] }

  func add(_ job: PlayJob) {
    busy = KernelClock.monotonic.now
    jobs.append(job)
    guard case .opening(let opening) = state else { return }
    // The sound is decoded while the device is being opened. The result is discarded if the device
    // has another format.
    job.guess = loader.load(job.sound, for: OutputOpening.likely)
    opening.prepare()
  }
}

extension PlayerOutput {
  /// Advances all jobs as far as possible; `answer` receives the outcomes of plays.
  func advance(_ memory: SoundStore, _ answer: (PlayJob, PlayerAnswer) -> Void) {
    updateState()
    if let failure {
      for job in jobs where !job.isOver {
        job.phase = .over
        if !job.isAnswered { answer(job, .refused(failure)) }
      }
    }
    if let output {
      output.clearChanged()
      for track in tracks.values { track.sound.window?.wake() }
      var isFull = false
      for job in jobs { advance(job, output, memory, &isFull, answer) }
    }
    for job in jobs where job.isOver && failure == nil && !job.isAnswered {
      job.isAnswered = true
      answer(job, .played(job.result))
    }
    if jobs.contains(where: \.isOver) { jobs.removeAll(where: \.isOver) }
    if !isQuiet { busy = KernelClock.monotonic.now }
  }

  /// Whether no sound is playing or about to play.
  var isQuiet: Bool {
    guard jobs.isEmpty, let output else { return jobs.isEmpty }
    return !tracks.values.contains { $0.isPlaying(on: output) }
  }

  /// Whether a sound is paused.
  var isPaused: Bool {
    guard let output else { return false }
    return tracks.values.contains { output.report(of: $0.main)?.state == .paused }
  }

  /// Whether a sound is paused, or stopped at a position from which it can be resumed.
  var holdsPositions: Bool {
    guard let output else { return false }
    return tracks.values.contains { track in
      guard let report = output.report(of: track.main) else { return false }
      return report.state == .paused || report.state == .stopped && report.position > 0
    }
  }

  private func updateState() {
    if case .opening(let opening) = state, let result = opening.result {
      switch result {
      case .success(let output): state = .open(output)
      case .failure(let failure): state = .failed(failure)
      }
    }
    guard let output, let end = output.end else { return }
    state = .failed(.ended(device: key.device, end))
  }

  private func advance(
    _ job: PlayJob, _ output: Output, _ memory: SoundStore, _ isFull: inout Bool,
    _ answer: (PlayJob, PlayerAnswer) -> Void
  ) {
    if case .waiting = job.phase { load(job, output) }
    if case .loading(let loading) = job.phase, let result = loading.result {
      switch result {
      case .success(let sound): job.phase = .ready(sound)
      case .failure(let failure): fail(job, failure, answer)
      }
    }
    if case .ready(let sound) = job.phase, !isFull {
      do throws(OutputError) {
        try begin(job, sound, output, memory)
      } catch {
        isFull = true
      }
    }
    if case .playing(let voice, let sound) = job.phase {
      check(job, voice, sound, output, answer)
    }
  }

  private func fail(
    _ job: PlayJob, _ failure: SoundError, _ answer: (PlayJob, PlayerAnswer) -> Void
  ) {
    job.phase = .over
    if !job.isAnswered { answer(job, .refused(failure)) }
    job.isAnswered = true
  }

  private func load(_ job: PlayJob, _ output: Output) {
    if let guess = job.guess.take(), guess.suits(output.format) {
      job.phase = .loading(guess)
    } else if let sound = loader.known(job.sound, for: output.format) {
      job.sound.close()
      job.phase = .ready(sound)
    } else {
      job.phase = .loading(loader.load(job.sound, for: output.format))
    }
  }

  private func check(
    _ job: PlayJob, _ voice: VoiceID, _ sound: Sound, _ output: Output,
    _ answer: (PlayJob, PlayerAnswer) -> Void
  ) {
    guard let report = output.report(of: voice), !report.isPending else { return }
    if let started = report.started, job.began(at: started, sound), !job.order.waits,
      !job.isAnswered
    {
      job.isAnswered = true
      answer(job, .played(job.result))
    }
    if let fault = sound.window?.fault as? DecodingError {
      if report.loops { try? output.send(.loop(false), to: voice) }
      guard report.state == .ended else { return }
      fail(job, .brokenOff(name: job.sound.name, fault), answer)
      leave(voice, job.sound.name, output)
    } else if report.state == .ended {
      leave(voice, job.sound.name, output)
      if job.next() { advance(job, output) } else { job.end(.ended) }
    } else if let end = job.fadesUntil, end <= KernelClock.monotonic.now {
      try? output.send(.stop, to: voice)
      tracks[Path(job.sound.name)]?.isFaded = true
      job.end(.stopped)
    }
  }

  /// Loads the next sound of a sequence at once, without waiting for another event.
  private func advance(_ job: PlayJob, _ output: Output) {
    load(job, output)
    loader.wakeup.signal()
  }
}

extension PlayerOutput {
  /// Ends all plays of a name, including those that wait.
  func stop(_ name: String) {
    for job in jobs where job.sound.name.isSameName(as: name) { job.end(.stopped) }
    guard let track = track(name), let output else { return }
    for voice in track.others { try? output.release(voice) }
    track.others = []
  }

  /// Fades out the plays of an order whose client has disconnected.
  func abandon(_ order: PlayerOrderID) {
    for job in jobs where job.identifier == order && job.order.waits {
      job.isAnswered = true
      guard let voice = job.voice, let output else {
        job.end(.stopped)
        continue
      }
      let frames = FrameCount(Self.farewell, at: output.format.rate)
      try? output.send(.volume(0, within: frames), to: voice)
      job.fadesUntil = KernelClock.monotonic.now + Self.farewell
    }
  }

  private func begin(
    _ job: PlayJob, _ sound: Sound, _ output: Output, _ memory: SoundStore
  ) throws(OutputError) {
    let track = tracks[Path(job.sound.name)]
    if job.index == 0, let past = memory.played.past(job.sound.name, on: key.device),
      past < job.order.cooldown
    {
      return job.endCoolingDown(after: past)
    }
    if let track, track.isPlaying(on: output) {
      switch job.order.ifPlaying {
      case .ignore: return job.end(.ignored)
      case .queue: return
      case .overlap, .restart: break
      }
    }
    let voice = try play(job, sound, output, memory)
    memory.played.note(job.sound.name, on: key.device)
    if let track {
      if job.order.ifPlaying == .overlap && isPlaying(track.main, output) {
        track.others.append(track.main)
      } else {
        displace(track, output)
      }
      track.main = voice
      track.path = job.sound.path
      track.sound = sound
    } else {
      tracks[Path(job.sound.name)] = Track(job.sound.name, job.sound, sound, voice)
      forgetOldest(output)
    }
    use(job.sound.name)?.volume = volume(job, memory)
    job.phase = .playing(voice, sound)
  }

  private func isPlaying(_ voice: VoiceID, _ output: Output) -> Bool {
    output.report(of: voice)?.state == .playing
  }

  private func volume(_ job: PlayJob, _ memory: SoundStore) -> Float {
    Float(
      job.order.volume ?? memory.volume(of: job.sound.name) ?? job.order.usualVolume ?? 1)
  }

  private func play(
    _ job: PlayJob, _ sound: Sound, _ output: Output, _ memory: SoundStore
  ) throws(OutputError) -> VoiceID {
    let rate = output.format.rate
    var options = PlayOptions()
    options.times = job.isSequence ? 1 : job.order.times
    options.loops = job.order.loops && !job.isSequence
    options.volume = volume(job, memory)
    options.fadeIn = FrameCount(job.order.fade, at: rate)
    options.leadIn = FrameCount(job.order.leadIn, at: rate)
    return try output.play(sound, options)
  }

  /// Stops all plays of a name, because a new play replaces them.
  private func displace(_ track: Track, _ output: Output) {
    for job in jobs {
      if let voice = job.voice, track.voices.contains(voice) { job.end(.displaced) }
    }
    for voice in track.voices { try? output.release(voice) }
    track.others = []
  }

  /// Releases a voice that has ended. The voice of the newest play is kept, because commands still
  /// address it.
  private func leave(_ voice: VoiceID, _ name: String, _ output: Output) {
    guard let track = tracks[Path(name)], track.main != voice else { return }
    track.others.removeAll { $0 == voice }
    try? output.release(voice)
  }

  /// Forgets the least recently used name whose sound has ended. Paused and stopped sounds are
  /// kept.
  private func forgetOldest(_ output: Output) {
    guard tracks.count > Self.mostTracks else { return }
    let ended = known.filter { output.report(of: $0.main)?.state == .ended }
    guard let oldest = ended.first else { return }
    for voice in oldest.voices { try? output.release(voice) }
    tracks[Path(oldest.name)] = nil
  }

  /// Marks a name as the most recently used.
  @discardableResult
  func use(_ name: String) -> Track? {
    uses += 1
    busy = KernelClock.monotonic.now
    tracks[Path(name)]?.used = uses
    return tracks[Path(name)]
  }

  /// Gives a sound that was not played yet a voice, stopped at its beginning.
  func prepare(_ found: FoundSound, _ sound: Sound, _ output: Output) throws(OutputError) {
    tracks[Path(found.name)] = Track(found.name, found, sound, try output.prepare(sound))
    forgetOldest(output)
    use(found.name)
  }
}

extension PlayerOutput {
  /// The states of all known sounds.
  func statuses(_ memory: SoundStore) -> [SoundStatus] {
    guard let output else { return [] }
    return known.compactMap { track in
      guard let report = output.report(of: track.main) else { return nil }
      return status(of: track, report, output, memory)
    }
  }

  private func status(
    of track: Track, _ report: VoiceReport, _ output: Output, _ memory: SoundStore
  ) -> SoundStatus {
    var status = SoundStatus(
      track.name, output: key.device, state: SoundStatus.State(report.state),
      position: report.position.duration(at: output.format.rate), duration: track.length,
      path: track.path)
    status.volume = Double(track.volume)
    status.isMuted = report.isMuted || memory.isMuted(track.name)
    status.playsLeft = report.loops ? nil : report.playsLeft
    status.voices = track.voices.count { isPlaying($0, output) }
    status.queued = jobs.count { $0.sound.name == track.name && $0.voice == nil && !$0.isOver }
    status.peak = Decibels(amplitude: Double(report.state == .playing ? report.peak : 0))
    return status
  }
}

extension SoundStatus.State {
  fileprivate init(_ state: VoiceState) {
    self =
      switch state {
      case .stopped: .stopped
      case .playing: .playing
      case .paused: .paused
      case .ended: .ended
      }
  }
}
