internal import Audio
internal import Decoding
internal import Linux
internal import Playback
internal import Sounds

/// One playback, as the player's thread sees it: its sound, its voice and its pending commands.
final class HostedEntry {
  typealias Done = @Sendable (SoundError?) -> Void

  /// A start that waits for the device or the sound.
  private struct Start {
    var moment: Int64?
  }

  private let face: HostedFace
  private var sound: Sound?
  private var loading: SoundLoading?
  private var voice: (identifier: VoiceID, output: Output)?
  /// Commands that have not been sent to the voice yet.
  private var backlog: [VoiceCommand] = []

  private var position = Duration.zero
  private var volume: Float = 1
  private var pan: Float = 0
  private var repeats: Int? = 0
  private var isMeasured = false
  private var tellsLevels = false

  /// The number of the last order that changed the state.
  private var number = 0
  private var start: Start?
  /// Whether the playback was started and has not ended yet.
  private var isRunning = false
  private var isPaused = false
  /// Whether the output has no room for another voice, so the start is tried again.
  private var isTurnedAway = false
  private var isPrepared = false
  private var isStopping = false
  /// Whether the caller has released the playback, so that no more orders can come.
  private(set) var isForgotten = false
  private var fadesUntil: Duration?
  private var nextLevels = Duration.zero

  private var prepared: [Done] = []
  private var started: [Done] = []
  private var stopped: [@Sendable () -> Void] = []
  private var settled: [@Sendable () -> Void] = []

  private static let pace = Duration.milliseconds(50)
  /// The delay before the next attempt if the output has no room for a command.
  private static let retry = Duration.milliseconds(5)

  init(_ face: HostedFace) { self.face = face }
}

extension HostedEntry {
  /// Whether the playback needs the thread or the device.
  var isActive: Bool { needsDevice || voice != nil || !settled.isEmpty || !stopped.isEmpty }

  /// Whether the playback needs the device.
  var needsDevice: Bool { isPrepared || start != nil || !prepared.isEmpty }

  /// The time of the next step that no event triggers, or nil if there is none.
  var deadline: Duration? {
    let now = KernelClock.monotonic.now
    var times: [Duration] = []
    if let fadesUntil { times.append(fadesUntil) }
    if tellsLevels && isRunning && face.state == .playing { times.append(nextLevels) }
    if !backlog.isEmpty || isTurnedAway { times.append(now + Self.retry) }
    if isStopping { times.append(now + Self.retry * 2) }
    return times.min()
  }

  func prepare(_ done: @escaping Done, _ stage: any HostedStage) {
    isPrepared = true
    prepared.append(done)
  }

  func start(at moment: Duration?, _ number: Int, _ done: @escaping Done) {
    self.number = number
    isPaused = false
    started.append(done)
    if isStopping || fadesUntil != nil { supersedeStop() }
    start = Start(moment: moment.map(\.wholeNanoseconds))
    isRunning = true
  }

  func pause(_ number: Int) {
    self.number = number
    if start != nil {
      start = nil
      callStarted(nil)
    }
    isPaused = true
    guard voice != nil, isRunning else { return }
    backlog.append(.pause)
  }

  func stop(
    _ number: Int, within fade: Duration, closing: Bool, _ done: @escaping @Sendable () -> Void,
    _ stage: any HostedStage
  ) {
    self.number = number
    start = nil
    isPrepared = false
    callPrepared(nil)
    callStarted(nil)
    if closing {
      stopped.append { stage.close(done) }
    } else {
      stopped.append(done)
    }
    guard let voice else { return conclude() }
    guard fade > .zero, isRunning, !isPaused else { return halt() }
    backlog.append(.volume(0, within: FrameCount(fade, at: voice.output.format.rate)))
    fadesUntil = KernelClock.monotonic.now + fade
  }

  func seek(to position: Duration) {
    self.position = position
    if let voice {
      backlog.append(.seek(FrameCount(nearest: position, at: voice.output.format.rate)))
    } else {
      face.set(voice: nil, at: position)
      face.reach(face.seeks)
    }
  }

  func set(volume: Float, within fade: Duration, _ stage: any HostedStage) {
    self.volume = volume
    guard let voice, fadesUntil == nil else { return }
    backlog.append(.volume(volume, within: FrameCount(fade, at: voice.output.format.rate)))
  }

  func set(pan: Float) {
    self.pan = pan
    if voice != nil { backlog.append(.pan(pan)) }
  }

  func set(repeats: Int?) {
    self.repeats = repeats
    if voice != nil, sound?.fault == nil { backlog.append(.repeats(repeats ?? .max)) }
  }

  func measure(_ isOn: Bool) {
    isMeasured = isOn
    if voice != nil { backlog.append(.meter(isOn || tellsLevels)) }
  }

  func tellLevels(_ isOn: Bool) {
    tellsLevels = isOn
    if voice != nil { backlog.append(.meter(isOn || isMeasured)) }
  }

  func whenSettled(_ done: @escaping @Sendable () -> Void) { settled.append(done) }

  /// Ends a released playback: an endless sound after this round, a paused sound at once.
  func forget(_ stage: any HostedStage) {
    isForgotten = true
    isPrepared = false
    if repeats == nil { set(repeats: 0) }
    if face.state == .paused { stop(number, within: .zero, closing: false, {}, stage) }
  }
}

extension HostedEntry {
  /// Does all the work that is possible now.
  ///
  /// - Parameter failure: the reason if the device was just lost or could not be opened.
  func advance(_ stage: any HostedStage, _ failure: SoundError?) {
    if let failure, isActive { fail(failure) }
    if needsDevice { load(stage) }
    if let output = stage.output, let sound, loading == nil, suits(sound, output) {
      callPrepared(nil)
      if start != nil { begin(sound, output, stage) }
    }
    flush()
    checkReport()
    if let fadesUntil, fadesUntil <= KernelClock.monotonic.now { halt() }
    flush()
    if voice == nil || backlog.isEmpty && !isPending { callSettled() }
  }

  private func suits(_ sound: Sound, _ output: Output) -> Bool {
    sound.format.rate == output.format.rate && sound.format.channels == output.format.channels
  }

  /// Decodes the sound. If the device is not open yet, decodes it in the most likely format.
  private func load(_ stage: any HostedStage) {
    let format = stage.output?.format
    if let sound, let output = stage.output, !suits(sound, output), voice == nil {
      self.sound = nil
    }
    if sound == nil, loading == nil {
      let wanted = format ?? OutputOpening.likely
      if let sound = stage.loader.known(face.source, for: wanted) {
        take(sound)
      } else {
        loading = stage.loader.load(face.source, for: wanted)
      }
    }
    guard let loading, let result = loading.result else { return }
    self.loading = nil
    switch result {
    case .success(let sound):
      take(sound)
      // The device has another format than the decoded sound, so decode again for the device.
      if let output = stage.output, !suits(sound, output) { load(stage) }
    case .failure(let failure): fail(failure)
    }
  }

  private func take(_ sound: Sound) {
    self.sound = sound
    if sound.window == nil { face.set(length: sound.duration) }
  }

  private func begin(_ sound: Sound, _ output: Output, _ stage: any HostedStage) {
    guard let start else { return }
    isTurnedAway = false
    if voice == nil {
      do throws(OutputError) {
        try addVoice(sound, output)
      } catch .queueFull {
        isTurnedAway = true
        return
      } catch .ended {
        return
      } catch {
        return fail(.noVoice(name: face.source.name, error))
      }
    }
    self.start = nil
    isStopping = false
    backlog.append(start.moment.map { .start(at: $0) } ?? .resume)
  }

  private func addVoice(_ sound: Sound, _ output: Output) throws(OutputError) {
    let identifier = try output.prepare(sound)
    voice = (identifier, output)
    let frame = FrameCount(nearest: position, at: output.format.rate)
    if frame > 0 { backlog.append(.seek(frame)) }
    backlog.append(.volume(volume, within: 0))
    if pan != 0 { backlog.append(.pan(pan)) }
    if repeats != 0, sound.fault == nil { backlog.append(.repeats(repeats ?? .max)) }
    if isMeasured || tellsLevels { backlog.append(.meter(true)) }
    face.set(voice: (output, identifier), at: position)
  }

  private func flush() {
    guard let voice else { return backlog.removeAll() }
    while let command = backlog.first {
      do throws(OutputError) {
        try voice.output.send(command, to: voice.identifier)
        backlog.removeFirst()
      } catch .queueFull {
        return
      } catch {
        return backlog.removeAll()
      }
    }
    sound?.window?.wake()
  }

  /// Whether the voice still has commands to carry out.
  private var isPending: Bool {
    guard let voice else { return false }
    return voice.output.report(of: voice.identifier)?.isPending ?? false
  }
}

extension HostedEntry {
  /// Acts on the latest report of the voice.
  private func checkReport() {
    guard let voice, backlog.isEmpty else { return }
    let seeks = face.seeks
    guard let report = voice.output.report(of: voice.identifier), !report.isPending else { return }
    face.reach(seeks)
    if report.started != nil || report.state != .playing { callStarted(nil) }
    if start == nil, let sound, let fault = sound.fault as? DecodingError {
      if report.state == .ended {
        self.sound = nil
        return end(.failed(.brokenOff(name: face.source.name, fault)))
      }
      if report.loops || report.playsLeft > 1 { backlog.append(.repeats(0)) }
    }
    if report.state == .ended { return end(.finished) }
    if isStopping {
      if report.isSilent { stopHere(report, voice.output) }
    } else if isRunning {
      reportLevels(report.levels)
    }
  }

  private func reportLevels(_ levels: VoiceLevels) {
    let now = KernelClock.monotonic.now
    guard tellsLevels, now >= nextLevels else { return }
    nextLevels = now + Self.pace
    if levels.count > 0 { face.handlers.levels(levels) }
  }

  private func halt() {
    fadesUntil = nil
    isStopping = true
    backlog.append(.stop)
  }

  private func stopHere(_ report: VoiceReport, _ output: Output) {
    position = report.position.duration(at: output.format.rate)
    leave()
    conclude()
  }

  /// Reports that the sound was stopped, if it had been started.
  private func conclude() {
    if isRunning {
      isRunning = false
      face.handlers.ended(.stopped)
    }
    finishStop()
  }

  /// Cancels a stop, because a start came before the voice was silent.
  private func supersedeStop() {
    isStopping = false
    if voice != nil { backlog.append(.volume(volume, within: 0)) }
    finishStop()
  }

  private func finishStop() {
    isStopping = false
    fadesUntil = nil
    let stopped = stopped
    self.stopped = []
    for done in stopped { done() }
  }

  /// Ends the play, because the sound has finished or failed.
  private func end(_ end: HostedEnd) {
    position = .zero
    let length = sound?.duration
    leave()
    face.set(voice: nil, at: end == .finished ? length ?? .zero : .zero)
    face.end(after: number)
    isRunning = false
    isPrepared = false
    face.handlers.ended(end)
    callStarted(nil)
    finishStop()
  }

  private func leave() {
    if let voice { try? voice.output.release(voice.identifier) }
    voice = nil
    backlog = []
    // A long sound has a thread that fills its window.
    if sound?.window != nil { sound = nil }
    face.set(voice: nil, at: position)
  }

  private func fail(_ error: SoundError) {
    if let voice, let report = voice.output.report(of: voice.identifier) {
      position = report.position.duration(at: voice.output.format.rate)
    }
    let wasRunning = isRunning
    leave()
    (start, isPrepared, isTurnedAway, loading) = (nil, false, false, nil)
    isRunning = isRunning && isPaused
    if wasRunning && !isPaused {
      face.end(after: number)
      position = .zero
      isRunning = false
      face.handlers.ended(.failed(error))
    }
    callPrepared(error)
    callStarted(error)
    finishStop()
    callSettled()
  }

  private func callPrepared(_ error: SoundError?) {
    let calls = prepared
    prepared = []
    for done in calls { done(error) }
  }

  private func callStarted(_ error: SoundError?) {
    if error == nil, start != nil { return }
    let calls = started
    started = []
    for done in calls { done(error) }
  }

  private func callSettled() {
    let calls = settled
    settled = []
    for done in calls { done() }
  }
}
