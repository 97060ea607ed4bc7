internal import Audio
package import Control
internal import Linux
internal import Recording
internal import Takes

/// The plan of a meter that has microphone access.
package struct MeterPlan: Sendable {
  /// The device and the client; the plan has no output file.
  package let recording: RecordingPlan
  /// The device that the user has named, or nil for the default device.
  let device: String?
  /// The length of the run, or nil if it has no limit.
  package let duration: Duration?
  /// Whether the meter suggests thresholds at its end.
  package let isCalibration: Bool
}

/// The loop that shows the levels of a meter until the user ends it.
final class MeterLoop {
  private let plan: MeterPlan
  private let recording: Recording
  private let levels: MeterLevels
  private let rate: SampleRate
  private let watch: AccessWatch
  private let presence: MeterPresence
  private let signals: StopSignals
  private let console: Console
  /// The screen on which the levels are redrawn, or nil if each output is a new line.
  private let screen: LiveScreen?
  private let began = KernelClock.monotonic.now
  private var shown: Duration
  private var isEnding = false
  private var warned: Set<SessionWarning.Kind> = []
  private var windows: [Decibels] = []
  private var hold = PeakHold()
  /// The number of captured frames at the last output.
  private var told: FrameCount = 0
  /// The last reading that was shown, or nil before the first one.
  private var latest: LevelReading?

  private static let tick = Duration.milliseconds(100)
  /// The time limit for a device to stop.
  private static let patience = Duration.seconds(1)

  init(
    _ plan: MeterPlan, _ meter: LiveMeter, _ watch: AccessWatch,
    _ presence: MeterPresence, _ signals: StopSignals, _ console: Console, isQuiet: Bool
  ) {
    self.plan = plan
    recording = meter.recording
    levels = meter.levels
    rate = meter.rate
    self.watch = watch
    self.presence = presence
    self.signals = signals
    self.console = console
    let isDrawn =
      [StandardStream.output, .error].allSatisfy { Terminal.isTerminal($0.rawValue) }
      && !console.isJSON
    screen = isDrawn ? LiveScreen(isQuiet: isQuiet, hint: .watching) : nil
    shown = KernelClock.monotonic.now
  }

  /// Runs to the end and returns the report, which is empty except for a calibration.
  func run() throws -> any Report {
    var deadline: Duration?
    while recording.end == nil {
      try serve()
      if isEnding, deadline == nil {
        recording.cut()
        deadline = KernelClock.monotonic.now + Self.patience
      }
      if let deadline, KernelClock.monotonic.now > deadline { break }
      try show()
    }
    screen?.clear()
    if let failure { throw failure }
    if screen == nil, recording.progress.frames.captured > told { try show(isLast: true) }
    windows += levels.takeWindows()
    guard plan.isCalibration else { return SilentReport(exitCode: .done) }
    return CalibrationReport(
      room: Calibration(
        of: plan.recording.capture.device, hearing: windows,
        for: .milliseconds(10) * windows.count), device: plan.device)
  }

  private func serve() throws {
    var poll = Poll(capacity: 16)
    for number in [signals.number, recording.ended.descriptor.number, screen?.number ?? -1] {
      poll.add(number)
    }
    watch.enlist(in: &poll)
    presence.enlist(in: &poll)
    let now = KernelClock.monotonic.now
    let untilDue = max(.milliseconds(10), min(Self.tick, shown + pace - now))
    let left = watch.deadline.map { $0 - now }
    try poll.wait(upTo: max(.milliseconds(1), min(untilDue, left ?? untilDue)))
    presence.serve(poll) {
      try watch.check()
    } _: {
      isEnding = true
    } refusal: { error in
      guard case TakeError.unknownRequest(let verb) = error else {
        return Refusal(Failure(explaining: error))
      }
      return Refusal(Failure(.usage, "a meter does not know the request \(quoted(verb))"))
    }
    signals.take()
    if signals.takeTerminalStop() { stopHere() }
    isEnding = isEnding || signals.hasCome
    for key in screen?.keys() ?? [] where key == .character("q") { isEnding = true }
    if watch.findsLoss(poll) {
      screen?.clear()
      recording.cut()
      try watch.check()
    }
  }

  /// Stops the process until it is continued. After that, lost frames cause no warning, because a
  /// stopped process loses frames.
  private func stopHere() {
    if let screen { screen.obey(.terminalStop) } else { Signal.terminalStop.obey() }
    warned.insert(.loss)
  }

  /// The failure of the device, or nil if the capture was stopped on request.
  private var failure: Failure? {
    let why: String
    switch recording.end?.capture {
    case .disconnected(let words), .failed(let words): why = words
    case .stalled: why = "it stopped delivering audio"
    case .stopped, nil: return nil
    }
    return Failure(
      .device, "cannot listen to", on: plan.recording.capture.device, why: why,
      advice: "\"recorder doctor\" says what to do")
  }
}

extension MeterLoop {
  /// The time between two outputs.
  private var pace: Duration { screen == nil && !console.isJSON ? .seconds(1) : Self.tick }

  /// Shows the level if `pace` has passed since the last output. If no new frames were measured by
  /// then, waits for them up to 0.1 s longer: a device may deliver frames at about this pace. If
  /// `isLast` is true, shows the level immediately, but only if it is new.
  private func show(isLast: Bool = false) throws {
    let now = KernelClock.monotonic.now
    let isDue = isLast || now - shown >= pace + (levels.areNew ? .zero : Self.tick)
    guard recording.progress.frames.captured > 0, isDue else { return }
    shown = now
    told = recording.progress.frames.captured
    windows += levels.takeWindows()
    let progress = recording.progress
    if !plan.isCalibration { windows = [] }
    warn(progress)
    let (level, channels) = levels.takeLevels()
    let reading = LevelReading(
      elapsed: now - began, level: level, channels: channels,
      highestPeak: progress.highest.peak, lost: recording.lost)
    guard !isLast || reading.isNew(after: latest) else { return }
    latest = reading
    if let screen {
      hold.hold(channels, at: now)
      screen.draw(
        LiveView(
          of: plan.recording.capture.device, elapsed: now - began, level, channels, hold,
          lost: recording.lost.value, clipped: progress.highest.clipped,
          accessUntil: watch.accessUntil))
    } else if !plan.isCalibration {
      try print(console.isJSON ? reading.encoded : reading.shown(console.style))
    }
  }

  private func warn(_ progress: TakeProgress) {
    let tracks = plan.recording.capture.tracks
    for warning in SessionWarning.all(about: progress, of: tracks, at: rate, secondsFree: nil)
    where warned.insert(warning.kind).inserted {
      screen?.clear()
      console.warn(ProgramHost().words(for: warning))
    }
  }

  /// Prints text. If the reader closed the pipe, the meter ends without an error.
  private func print(_ text: String) throws {
    if try !hasReader({ try StandardStream.output.write(text) }) { isEnding = true }
  }
}
