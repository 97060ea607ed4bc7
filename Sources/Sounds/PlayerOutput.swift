internal import Audio
internal import Control
internal import Linux
internal import Playback

/// An output device of the player, with the sounds that play on it.
final class PlayerOutput {
  let key: OutputKey
  private let opening: OutputOpening
  /// The output, or nil if the device is not open.
  private(set) var output: Output?
  /// The reason why the device cannot play, or nil if it can play.
  private(set) var failure: SoundError?
  private(set) var jobs: [PlayJob] = []
  private var namedSounds: [Path: NamedSound] = [:]
  private var watch: OutputWatch
  private var uses = 0
  /// The time at which a sound last played or was requested.
  private(set) var busy = KernelClock.monotonic.now

  /// The largest number of named sounds to keep. Playing and paused sounds are always kept.
  private static let mostNames = 64
  /// The length of the fade-out of a sound whose client has disconnected.
  private static let fadeOut = Duration.milliseconds(150)

  init(_ opening: OutputOpening, _ patience: Duration) {
    key = opening.key
    watch = OutputWatch(allowing: patience)
    self.opening = opening
  }

  /// All named sounds, from the least to the most recently used.
  var known: [NamedSound] { namedSounds.values.sorted { $0.used < $1.used } }

  /// The names of all named sounds and of all jobs.
  var names: [String] { namedSounds.values.map(\.name) + jobs.map(\.name) }

  func namedSound(_ name: String) -> NamedSound? { namedSounds[Path(name)] }

  func add(_ job: PlayJob) {
    busy = KernelClock.monotonic.now
    jobs.append(job)
    guard output == nil else { return }
    // The sound is decoded while the device is being opened. If decoding fails, the job reports the
    // failure after the device is open.
    _ = try? job.playback.load(for: nil)
    opening.prepare()
  }
}

extension PlayerOutput {
  /// Advances all jobs as far as possible.
  func advance(_ memory: SoundStore) {
    updateState()
    if let failure {
      for job in jobs { job.fail(failure) }
    }
    if let output {
      output.clearChanged()
      for named in namedSounds.values { for playback in named.playbacks { playback.advance() } }
      var isFull = false
      for job in jobs { advance(job, output, memory, &isFull) }
      forgetSounds()
    }
    if !isQuiet { busy = KernelClock.monotonic.now }
  }

  /// Returns the answers of the jobs that have a new answer, and removes the jobs that are over.
  func takeAnswers() -> [(order: PlayerOrderID, answer: PlayerAnswer)] {
    let answers = jobs.compactMap { job in
      job.takeAnswer().map { (order: job.identifier, answer: $0) }
    }
    jobs.removeAll(where: \.isOver)
    return answers
  }

  /// The time at which `advance` must be called even without an event, or nil if there is no such
  /// time.
  var deadline: Duration? {
    let now = KernelClock.monotonic.now
    if output == nil { return now + .milliseconds(500) }
    let next = namedSounds.values.lazy.flatMap(\.playbacks).compactMap(\.deadline).min()
    let look: Duration? = hasWork ? now + OutputWatch.interval : nil
    return [next, look].compactMap(\.self).min()
  }

  /// Whether no sound is playing or about to play. A play of a paused sound does not count.
  var isQuiet: Bool {
    !namedSounds.values.contains(where: \.isPlaying)
      && jobs.allSatisfy { $0.isOver || namedSound($0.name)?.isPaused == true }
  }

  /// Whether a voice is playing, or has not carried out all commands yet.
  private var hasWork: Bool {
    namedSounds.values.contains { $0.playbacks.contains(where: \.hasWork) }
  }

  /// Whether a sound is paused.
  var isPaused: Bool { namedSounds.values.contains(where: \.isPaused) }

  /// Whether a sound is paused, or stopped at a position from which it can be resumed.
  var holdsPositions: Bool { namedSounds.values.contains(where: \.holdsPosition) }

  private func updateState() {
    if output == nil, failure == nil {
      switch opening.result {
      case .success(let output): self.output = output
      case .failure(let failure): self.failure = failure
      case nil: break
      }
    }
    guard let output else { return }
    if let end = output.end {
      (self.output, failure) = (nil, .ended(device: key.device, end))
    } else if watch.isStuck(output, hasWork: hasWork) {
      output.stop()
      (self.output, failure) = (nil, .unanswered(device: key.device, after: watch.patience))
    }
  }

  private func advance(
    _ job: PlayJob, _ output: Output, _ memory: SoundStore, _ isFull: inout Bool
  ) {
    job.skipMuted(memory)
    do throws(SoundError) {
      if job.isWaiting, try job.playback.load(for: output), !isFull {
        // If the output has no room for another voice, this job and the later jobs wait.
        isFull = (try? begin(job, output, memory)) == nil
      }
    } catch {
      return job.fail(error)
    }
    guard !job.isOver, let report = job.playback.settledReport() else { return }
    if let started = report.started { job.began(at: started) }
    // A seek or a rewind after the end of a sound changes its state from `ended` to `stopped`. So
    // the sound has also ended if its state is `stopped` here.
    if report.state == .ended || report.state == .stopped && !job.isAbandoned {
      if let fault = job.playback.fault { return job.fail(fault) }
      job.proceed(.ended)
      advance(job, output, memory, &isFull)
    } else if job.isAbandoned, !job.playback.isFading {
      job.end(.stopped)
      // Do not release a playing voice: another command may have resumed the sound.
      if report.state == .stopped { job.playback.release() }
    }
  }
}

extension PlayerOutput {
  /// Ends all plays that a request is about, including plays that have not begun.
  func stop(_ request: SoundRequest) {
    for job in jobs where request.isAbout(job.name) { job.end(.stopped) }
    for named in namedSounds.values where request.isAbout(named.name) { named.releaseOthers() }
  }

  /// Applies a request to the plays that `loading` returns for the request.
  func apply(_ request: SoundRequest) {
    for job in loading(request) {
      switch request.verb {
      case .pause: job.isHeld = true
      case .resume: job.isHeld = false
      case .replay: (job.isHeld, job.start) = (false, nil)
      case .rewind: job.start = nil
      case .seek: job.start = request.position
      default: break
      }
    }
  }

  /// Returns the plays that a request is about and that wait for the device or for the decoder.
  /// Plays that wait for the end of an earlier play are not included.
  func loading(_ request: SoundRequest) -> [PlayJob] {
    guard request.isAbout(device: key.device) else { return [] }
    return jobs.filter { job in
      job.isWaiting && request.isAbout(job.name) && namedSound(job.name)?.isActive != true
    }
  }

  /// Fades out the plays of an order whose client has disconnected.
  func abandon(_ order: PlayerOrderID) {
    for job in jobs where job.identifier == order && job.order.waits && !job.isOver {
      job.abandon(within: Self.fadeOut)
    }
  }

  /// Starts the current sound of a job, with two exceptions: the cooldown has not passed yet, or
  /// the name is already active and the order ignores or queues the new play.
  private func begin(_ job: PlayJob, _ output: Output, _ memory: SoundStore) throws(OutputError) {
    let (order, rate) = (job.order, output.format.rate)
    if !job.hasBegun, let past = memory.played.past(job.name, on: key.device), past < order.cooldown
    {
      return job.endCoolingDown(after: past)
    }
    let present = namedSound(job.name).flatMap { $0.isActive ? $0 : nil }
    if present != nil, order.ifPlaying == .ignore { return job.end(.ignored) }
    if present != nil, order.ifPlaying == .queue { return }
    var options = PlayOptions()
    options.times = job.isSequence ? 1 : order.times
    options.loops = order.loops && !job.isSequence
    options.fadeIn = FrameCount(order.fade, at: rate)
    options.leadIn = FrameCount(order.leadIn, at: rate)
    try begin(
      job.playback, on: output, options, volume: order.volume, usually: order.usualVolume, memory)
    if let start = job.start { job.playback.seek(to: start) }
    if job.isHeld { job.playback.send(.pause) }
    job.hasBegun = true
    memory.played.note(job.name, on: key.device)
    if let present, order.ifPlaying == .overlap {
      present.add(job.playback)
      use(job.name)
    } else {
      displace(by: job)
      add(job.playback, job.name)
    }
  }

  /// Gives a voice to a sound that was not played yet. The voice does not play, and its position is
  /// the beginning of the sound.
  func prepare(
    _ playback: SoundPlayback, usually volume: Double?, _ output: Output, _ memory: SoundStore
  ) throws(OutputError) {
    try begin(playback, on: output, nil, volume: nil, usually: volume, memory)
    add(playback, playback.source.name)
  }

  /// Gives a playback a voice, with the volume and the mute that are stored for its name.
  ///
  /// - Parameters:
  ///   - options: the options for playing immediately, or nil for a stopped voice.
  ///   - volume: the volume of this playback, or nil for the stored volume.
  ///   - usual: the volume if no volume is stored, or nil for 1.
  private func begin(
    _ playback: SoundPlayback, on output: Output, _ options: PlayOptions?, volume: Double?,
    usually usual: Double?, _ memory: SoundStore
  ) throws(OutputError) {
    let name = playback.source.name
    playback.setVolume(Float(volume ?? memory.volume(of: name) ?? usual ?? 1))
    try playback.begin(on: output, options)
    if memory.isMuted(name) { playback.send(.mute(true)) }
  }

  /// Ends the plays that have begun and have the name of a new play, because the new play replaces
  /// them.
  private func displace(by new: PlayJob) {
    for job in jobs where job !== new && !job.isWaiting && job.name.isSameName(as: new.name) {
      // The sound may have ended since the job was advanced.
      if job.playback.report?.state == .ended { job.proceed(.ended) } else { job.end(.displaced) }
    }
  }

  /// Makes a playback the only playback of a name.
  private func add(_ playback: SoundPlayback, _ name: String) {
    if let named = namedSound(name) {
      named.replace(with: playback)
    } else {
      namedSounds[Path(name)] = NamedSound(name, playback)
    }
    use(name)
  }

  /// Marks a name as the most recently used.
  func use(_ name: String) {
    uses += 1
    busy = KernelClock.monotonic.now
    namedSounds[Path(name)]?.used = uses
  }

  /// For each name, releases the earlier playbacks that have ended. Removes named sounds without a
  /// voice. If there are too many named sounds, removes the least recently used ones. The release
  /// of a playback frees its voice and its decoder.
  private func forgetSounds() {
    func isUsed(_ playback: SoundPlayback) -> Bool {
      jobs.contains { !$0.isOver && $0.playback === playback }
    }
    for (key, named) in namedSounds {
      named.removeEnded(unless: isUsed)
      if !named.main.hasVoice { namedSounds[key] = nil }
    }
    var excess = namedSounds.count - Self.mostNames
    if excess <= 0 { return }
    for named in known where excess > 0 && !named.isActive {
      if named.playbacks.contains(where: isUsed) { continue }
      named.release()
      namedSounds[Path(named.name)] = nil
      excess -= 1
    }
  }
}
