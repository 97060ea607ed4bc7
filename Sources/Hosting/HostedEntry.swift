internal import Audio
internal import Linux
internal import Playback
internal import Sounds

/// The state of one `HostedPlay`: the last requests, and the completion handlers that wait for an
/// event.
///
/// SAFETY: every access holds the lock of the `HostedDevice`.
final class HostedEntry: @unchecked Sendable {
  let playback: SoundPlayback
  var callers = HostedCallers()
  private let handlers: HostedHandlers
  private var settings = HostedSettings()
  /// The state that the caller requested last, or `ended` after the play has ended or failed.
  private(set) var state = PlaybackState.stopped
  /// Whether the caller has released the playback, so that no more orders can come.
  private(set) var isForgotten = false

  /// The position at which the next voice begins.
  private var start = Duration.zero
  /// The position to report after the sound has played to its end, or nil. A start or a seek resets
  /// this property to nil.
  private var endPosition: Duration?
  /// The target of a seek that the voice has not carried out yet, or nil if there is none.
  private var sought: Duration?
  private var nextLevels = Duration.zero

  /// The command that starts the sound once the device, the sound and a voice are available, or nil
  /// if no start is waiting.
  private var pendingStart: VoiceCommand?
  /// Whether the start must be tried again, because too many commands wait in the output.
  private var isTurnedAway = false
  /// Whether the playback was started and has not ended yet.
  private var isRunning = false
  /// The number of plays so far.
  private var plays = 0
  private var isPrepared = false

  private static let pace = Duration.milliseconds(50)
  /// The delay before the next attempt to get a voice.
  private static let retry = Duration.milliseconds(5)

  init(_ source: PlaySource, _ handlers: HostedHandlers, _ loader: SoundLoader) {
    playback = SoundPlayback(source, loader)
    self.handlers = handlers
  }
}

extension HostedEntry {
  func prepare(_ done: @escaping HostedCallers.Done) {
    isPrepared = true
    callers.add(.prepared, done)
  }

  /// Starts or resumes the sound. Returns the number of the play. If no play is running, a new play
  /// begins.
  func start(at moment: Duration?, _ done: @escaping HostedCallers.Done) -> Int {
    state = .playing
    callers.add(.started, done)
    if isStopping {
      playback.restoreVolume()
      callers.answer(.stopped)
    }
    pendingStart = moment.map { .start(at: $0.wholeNanoseconds) } ?? .resume
    if !isRunning { plays += 1 }
    (isRunning, endPosition) = (true, nil)
    return plays
  }

  func pause() {
    guard state == .playing else { return }
    state = .paused
    pendingStart = nil
    if !playback.hasVoice { callers.answer(.started) }
    playback.send(.pause)
  }

  func stop(within fade: Duration, _ done: @escaping @Sendable () -> Void) {
    let isAudible = isRunning && state != .paused
    if state != .ended { state = .stopped }
    (pendingStart, isPrepared) = (nil, false)
    callers.answer(.prepared)
    callers.answer(.started)
    callers.add(.stopped) { _ in done() }
    guard playback.hasVoice else { return conclude() }
    playback.stop(within: isAudible ? fade : .zero)
  }

  func seek(to position: Duration) {
    (start, endPosition) = (position, nil)
    guard playback.hasVoice else { return }
    sought = position
    playback.seek(to: position)
  }

  /// Changes the settings, except the repetitions.
  func configure(_ change: (inout HostedSettings) -> Void) {
    let old = settings
    change(&settings)
    for command in settings.commands(after: old) { playback.send(command) }
  }

  func set(repeats: Int?) {
    settings.repeats = repeats
    if playback.fault == nil { playback.send(.repeats(repeats ?? .max)) }
  }

  /// Ends a released playback. An endless sound ends after its current repetition, and a paused
  /// sound ends immediately. Any other sound plays to its end.
  func forget() {
    isForgotten = true
    isPrepared = false
    if settings.repeats == nil { set(repeats: 0) }
    if state == .paused { stop(within: .zero) {} }
  }
}

extension HostedEntry {
  /// Whether the playback needs the thread or the device.
  var isActive: Bool { needsDevice || playback.hasVoice || !callers.isEmpty }

  /// Whether the playback needs the device.
  var needsDevice: Bool { isPrepared || pendingStart != nil || callers.awaits(.prepared) }

  /// Whether the sound has played to its end, and was not started or moved since.
  var isAtEnd: Bool { endPosition != nil }

  /// The position in the sound that is audible now.
  var position: Duration {
    let current = sought ?? playback.position ?? endPosition ?? start
    // The length of a long sound is an estimate, so it does not limit the position.
    guard let sound = playback.sound, sound.window == nil else { return current }
    return min(sound.duration, current)
  }

  /// The time at which `advance` must be called even without an event, or nil if there is no such
  /// time.
  var deadline: Duration? {
    let now = KernelClock.monotonic.now
    var times: [Duration] = []
    if let deadline = playback.deadline { times.append(deadline) }
    if settings.reportsLevels && isRunning && state == .playing { times.append(nextLevels) }
    if isTurnedAway { times.append(now + Self.retry) }
    if isStopping && !playback.isFading { times.append(now + Self.retry * 2) }
    return times.min()
  }

  private var isStopping: Bool { callers.awaits(.stopped) }

  /// Advances the playback as far as possible.
  ///
  /// - Parameter failure: the reason if the device was just lost or could not be opened, otherwise
  ///   nil.
  func advance(on output: Output?, _ failure: SoundError?) {
    do throws(SoundError) {
      if let failure, isActive { throw failure }
      if needsDevice, try playback.load(for: output), let output {
        callers.answer(.prepared)
        try begin(on: output)
      }
      playback.advance()
      if let report = playback.settledReport() { act(on: report) }
    } catch {
      fail(error)
    }
    if !playback.isPending { callers.answer(.settled) }
  }

  private func begin(on output: Output) throws(SoundError) {
    guard let command = pendingStart else { return }
    isTurnedAway = false
    if !playback.hasVoice {
      do throws(OutputError) {
        try playback.begin(on: output)
      } catch .queueFull {
        return isTurnedAway = true
      } catch .ended {
        return
      } catch {
        throw .noVoice(name: playback.source.name, error)
      }
      if start > .zero { playback.seek(to: start) }
      for command in settings.commands(after: HostedSettings()) { playback.send(command) }
      if settings.repeats != 0 { set(repeats: settings.repeats) }
    }
    pendingStart = nil
    playback.send(command)
  }
}

extension HostedEntry {
  /// Acts on the report of a voice that has carried out all commands.
  private func act(on report: VoiceReport) {
    sought = nil
    if report.started != nil || report.state != .playing { callers.answer(.started) }
    if report.state == .ended {
      return end(playback.fault.map(HostedEnd.failed) ?? .finished)
    }
    if isStopping {
      guard report.isSilent, !playback.isFading else { return }
      start = playback.position ?? start
      playback.release()
      conclude()
    } else if isRunning {
      reportLevels(report.levels)
    }
  }

  private func reportLevels(_ levels: VoiceLevels) {
    let now = KernelClock.monotonic.now
    guard settings.reportsLevels, now >= nextLevels else { return }
    nextLevels = now + Self.pace
    if levels.count > 0 { callers.call { [handlers] in handlers.levels(levels) } }
  }

  /// Completes a stop. Reports the end of the play if a play was running, and answers the callers
  /// that wait for the stop.
  private func conclude() {
    if isRunning { report(.stopped) }
    callers.answer(.stopped)
  }

  /// Ends the play, because the sound has finished or failed.
  private func end(_ end: HostedEnd) {
    start = .zero
    endPosition = if case .finished = end { playback.sound?.duration } else { nil }
    playback.release()
    state = .ended
    isPrepared = false
    report(end)
    callers.answer(.started)
    callers.answer(.stopped)
  }

  private func report(_ end: HostedEnd) {
    isRunning = false
    callers.call { [handlers, plays] in handlers.ended(plays, end) }
  }

  private func fail(_ error: SoundError) {
    start = sought ?? playback.position ?? start
    sought = nil
    playback.release()
    (pendingStart, isPrepared, isTurnedAway) = (nil, false, false)
    if isStopping {
      conclude()
    } else if isRunning && state != .paused {
      (state, start) = (.ended, .zero)
      report(.failed(error))
    }
    callers.answer(.prepared, error)
    callers.answer(.started, error)
    callers.answer(.settled)
  }
}
