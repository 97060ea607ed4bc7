internal import Audio
internal import Control
internal import Linux
internal import Playback

/// An output device of the player, with its sounds.
final class PlayerOutput {
  let key: OutputKey
  private let opening: OutputOpening
  /// The output, or nil if the device is not open.
  private(set) var output: Output?
  /// The reason why the device cannot play, or nil if it can.
  private(set) var failure: SoundError?
  private(set) var jobs: [PlayJob] = []
  private var namedSounds: [Path: NamedSound] = [:]
  private var uses = 0
  /// The time at which a sound last played or was requested.
  private(set) var busy = KernelClock.monotonic.now

  /// The most names to keep after their sounds have ended.
  private static let mostNames = 64
  /// The length of the fade-out of a sound whose client has disconnected.
  private static let fadeOut = Duration.milliseconds(150)

  init(_ opening: OutputOpening) {
    key = opening.key
    self.opening = opening
  }

  /// All known names, from the least to the most recently used.
  var known: [NamedSound] { namedSounds.values.sorted { $0.used < $1.used } }

  func namedSound(_ name: String) -> NamedSound? { namedSounds[Path(name)] }

  func add(_ job: PlayJob) {
    busy = KernelClock.monotonic.now
    jobs.append(job)
    guard output == nil else { return }
    // The sound is decoded while the device is being opened. If it cannot be decoded, the job
    // reports that after the device is open.
    _ = try? job.playback.load(for: nil)
    opening.prepare()
  }
}

extension PlayerOutput {
  /// Advances all jobs as far as possible; `answer` receives the outcomes of plays.
  func advance(_ memory: SoundStore, _ answer: (PlayJob, PlayerAnswer) -> Void) {
    updateState()
    if let failure {
      for job in jobs where !job.isOver { fail(job, failure, answer) }
    }
    if let output {
      output.clearChanged()
      for named in namedSounds.values { for playback in named.playbacks { playback.advance() } }
      var isFull = false
      for job in jobs { advance(job, output, memory, &isFull, answer) }
    }
    for job in jobs where job.isOver && !job.isAnswered {
      job.isAnswered = true
      answer(job, .played(job.result))
    }
    if jobs.contains(where: \.isOver) { jobs.removeAll(where: \.isOver) }
    if !isQuiet { busy = KernelClock.monotonic.now }
  }

  /// The time at which `advance` must be called without an event, or nil if there is none.
  var deadline: Duration? {
    let now = KernelClock.monotonic.now
    if output == nil { return now + .milliseconds(500) }
    return namedSounds.values.lazy.flatMap(\.playbacks).compactMap(\.deadline).min()
  }

  /// Whether no sound is playing or about to play.
  var isQuiet: Bool { jobs.isEmpty && !namedSounds.values.contains(where: \.isPlaying) }

  /// Whether a sound is paused.
  var isPaused: Bool { namedSounds.values.contains { $0.main.report?.state == .paused } }

  /// Whether a sound is paused, or stopped at a position from which it can be resumed.
  var holdsPositions: Bool {
    namedSounds.values.contains { named in
      guard let report = named.main.report else { return false }
      return report.state == .paused || report.state == .stopped && report.position > 0
    }
  }

  private func updateState() {
    if output == nil, failure == nil {
      switch opening.result {
      case .success(let output): self.output = output
      case .failure(let failure): self.failure = failure
      case nil: break
      }
    }
    guard let end = output?.end else { return }
    (output, failure) = (nil, .ended(device: key.device, end))
  }

  private func advance(
    _ job: PlayJob, _ output: Output, _ memory: SoundStore, _ isFull: inout Bool,
    _ answer: (PlayJob, PlayerAnswer) -> Void
  ) {
    do throws(SoundError) {
      if job.isWaiting, try job.playback.load(for: output), !isFull {
        // Without a free voice, this job and the later jobs wait.
        isFull = (try? begin(job, output, memory)) == nil
      }
    } catch {
      return fail(job, error, answer)
    }
    guard !job.isOver, let report = job.playback.settledReport() else { return }
    if let started = report.started, job.began(at: started), !job.order.waits, !job.isAnswered {
      job.isAnswered = true
      answer(job, .played(job.result))
    }
    if report.state == .ended {
      let fault = job.playback.fault
      leave(job.playback, job.name)
      if let fault { return fail(job, fault, answer) }
      guard !job.isAbandoned, job.next() else { return job.end(.ended) }
      advance(job, output, memory, &isFull, answer)
    } else if job.isAbandoned, !job.playback.isFading {
      job.end(.stopped)
    }
  }

  private func fail(
    _ job: PlayJob, _ failure: SoundError, _ answer: (PlayJob, PlayerAnswer) -> Void
  ) {
    job.end(.stopped)
    if !job.isAnswered { answer(job, .refused(failure)) }
    job.isAnswered = true
  }
}

extension PlayerOutput {
  /// Ends all plays of a name, including those that wait.
  func stop(_ name: String) {
    for job in jobs where job.name.isSameName(as: name) { job.end(.stopped) }
    guard let named = namedSound(name) else { return }
    for playback in named.others { playback.release() }
    named.others = []
  }

  /// Fades out the plays of an order whose client has disconnected.
  func abandon(_ order: PlayerOrderID) {
    for job in jobs where job.identifier == order && job.order.waits {
      (job.isAnswered, job.isAbandoned) = (true, true)
      if job.isWaiting { job.end(.stopped) } else { job.playback.stop(within: Self.fadeOut) }
    }
  }

  /// Starts the sound of a job, unless its cooldown or another play of its name prevents that.
  private func begin(_ job: PlayJob, _ output: Output, _ memory: SoundStore) throws(OutputError) {
    let named = namedSounds[Path(job.name)]
    if job.index == 0, let past = memory.played.past(job.name, on: key.device),
      past < job.order.cooldown
    {
      return job.endCoolingDown(after: past)
    }
    if let named, named.isPlaying {
      switch job.order.ifPlaying {
      case .ignore: return job.end(.ignored)
      case .queue: return
      case .overlap, .restart: break
      }
    }
    try play(job, output, memory)
    memory.played.note(job.name, on: key.device)
    guard let named else { return add(job.playback, job.name) }
    if job.order.ifPlaying == .overlap && named.main.isPlaying {
      named.others.append(named.main)
    } else {
      displace(named)
    }
    named.main = job.playback
    use(job.name)
  }

  private func play(_ job: PlayJob, _ output: Output, _ memory: SoundStore) throws(OutputError) {
    let (order, rate) = (job.order, output.format.rate)
    let volume = order.volume ?? memory.volume(of: job.name) ?? order.usualVolume ?? 1
    job.playback.setVolume(Float(volume))
    var options = PlayOptions()
    options.times = job.isSequence ? 1 : order.times
    options.loops = order.loops && !job.isSequence
    options.volume = job.playback.volume
    options.fadeIn = FrameCount(order.fade, at: rate)
    options.leadIn = FrameCount(order.leadIn, at: rate)
    try job.playback.begin(on: output, options)
  }

  /// Stops all plays of a name, because a new play replaces them.
  private func displace(_ named: NamedSound) {
    let playbacks = named.playbacks
    for job in jobs where playbacks.contains(where: { $0 === job.playback }) {
      // The sound may have ended since the job was advanced.
      let hasEnded = job.playback.report?.state == .ended && !job.next()
      job.end(hasEnded ? .ended : .displaced)
    }
    for playback in playbacks { playback.release() }
    named.others = []
  }

  /// Releases a playback that has ended. The newest playback of the name is kept, because commands
  /// still address it.
  private func leave(_ playback: SoundPlayback, _ name: String) {
    guard let named = namedSounds[Path(name)], named.main !== playback else { return }
    named.others.removeAll { $0 === playback }
    playback.release()
  }

  /// Adds a name. If there are too many, forgets the least recently used name whose sound has
  /// ended. Paused and stopped sounds are kept.
  private func add(_ playback: SoundPlayback, _ name: String) {
    namedSounds[Path(name)] = NamedSound(name, playback)
    use(name)
    guard namedSounds.count > Self.mostNames,
      let oldest = known.first(where: { $0.main.report?.state == .ended })
    else { return }
    for playback in oldest.playbacks { playback.release() }
    namedSounds[Path(oldest.name)] = nil
  }

  /// Marks a name as the most recently used.
  func use(_ name: String) {
    uses += 1
    busy = KernelClock.monotonic.now
    namedSounds[Path(name)]?.used = uses
  }

  /// Gives a voice, stopped at the beginning, to a sound that was not played yet.
  func prepare(_ playback: SoundPlayback, _ output: Output) throws(OutputError) {
    try playback.begin(on: output)
    add(playback, playback.source.name)
  }
}

extension PlayerOutput {
  /// The states of all known sounds.
  func statuses(_ memory: SoundStore) -> [SoundStatus] {
    guard let output else { return [] }
    return known.compactMap { named in
      guard let report = named.main.report else { return nil }
      return status(of: named, report, at: output.format.rate, memory)
    }
  }

  private func status(
    of named: NamedSound, _ report: VoiceReport, at rate: SampleRate, _ memory: SoundStore
  ) -> SoundStatus {
    var status = SoundStatus(
      named.name, output: key.device, state: report.state,
      position: report.position.duration(at: rate),
      duration: named.main.sound?.duration ?? .zero, path: named.main.source.path ?? named.name)
    status.volume = Double(named.main.volume)
    status.isMuted = report.isMuted || memory.isMuted(named.name)
    status.playsLeft = report.loops ? nil : report.playsLeft
    status.voices = named.playbacks.count(where: \.isPlaying)
    status.queued = jobs.count { $0.name.isSameName(as: named.name) && $0.isWaiting }
    status.peak = Decibels(amplitude: Double(report.state == .playing ? report.peak : 0))
    return status
  }
}
