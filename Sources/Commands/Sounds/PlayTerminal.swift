internal import Audio
internal import Control
internal import JSON
internal import Linux

/// The terminal of a `play` command that waits for the end of the sound. Ctrl-Z pauses the sound.
/// For a file, a line shows the position, and keys control the sound.
final class PlayTerminal {
  private let order: PlayOrder
  /// The line and the keys, or nil if the order has none.
  private let screen: LiveScreen?
  private let signals: Signals
  private let ticks: Timer
  private var client: PlayerClient?
  /// The last reported status of the order's playing or paused sound, or nil before any report.
  private var current: SoundStatus?
  /// Whether the user has ended the play.
  private(set) var isOver = false

  /// The time between two updates of the line.
  private static let pace = Duration.milliseconds(200)
  /// The longest wait for an answer of the player. During the wait, no key and no signal is
  /// handled.
  private static let patience = Duration.milliseconds(500)
  /// The distance of a seek.
  private static let step = Duration.seconds(5)
  /// The step of the volume.
  private static let notch = 0.05

  /// Returns the terminal of an order, or nil if the order does not wait or the signals cannot be
  /// caught.
  static func open(for order: PlayOrder, _ console: Console) -> PlayTerminal? {
    order.waits ? try? PlayTerminal(order, isShown: isShown(order, console)) : nil
  }

  /// Returns whether the order has a line and keys. A sound of the library has no line and no keys,
  /// because it is short, and keys that are typed during the sound are for the shell. A background
  /// job may have a line and keys, because it uses the terminal after it is brought to the
  /// foreground.
  private static func isShown(_ order: PlayOrder, _ console: Console) -> Bool {
    [StandardStream.input, .error].allSatisfy { Terminal.isTerminal($0.rawValue) }
      && !console.isJSON && !console.isQuiet
      && order.sounds.allSatisfy { $0.path != nil && $0.name != "-" }
  }

  private init(_ order: PlayOrder, isShown: Bool) throws(SystemError) {
    self.order = order
    let ticks = try Timer(on: .monotonic)
    if isShown { try ticks.set(after: Self.pace, every: Self.pace) }
    self.ticks = ticks
    signals = try Signals(
      [.terminalStop]
        + (isShown ? [.interrupt, .terminate, .quit, .hangUp, .windowChange] : []))
    screen = isShown ? LiveScreen(isQuiet: false, hint: .playing) : nil
  }

  /// The handler that serves the terminal while the command waits, until the user ends the play.
  var watch: ControlClient.Watch {
    ControlClient.Watch {
      [self.signals.descriptor.number, self.screen?.number ?? -1, self.ticks.descriptor.number]
    } _: { [self] in
      serve()
      return !isOver
    }
  }

  /// Removes the line and stops reading keys.
  func close() { screen?.close() }

  private func serve() {
    while let signal = signals.next() {
      switch signal {
      case .windowChange: break
      case .terminalStop: suspend()
      default: screen?.obey(signal)
      }
    }
    guard let screen else { return }
    for key in screen.keys() where !isOver { obey(key) }
    if isOver { return close() }
    _ = ticks.clear()
    guard screen.isInFront else { return }
    refresh()
    if let current { screen.draw(LiveView(current), inLine: true) }
  }

  /// Handles Ctrl-Z: pauses the sound, stops the process, and resumes the sound after the process
  /// continues. A sound that was paused before stays paused. The process stops without waiting for
  /// the answer of the player.
  private func suspend() {
    refresh()
    let isPlaying = current?.state == .playing
    if isPlaying { send(.pause, waitingUpTo: .zero) }
    if let screen { screen.obey(.terminalStop) } else { Signal.terminalStop.obey() }
    if isPlaying { send(.resume) }
  }

  private func obey(_ key: Key) {
    switch key {
    case .character("q"), .escape: isOver = true
    case .character(" "): send(current?.state == .paused ? .resume : .pause)
    case .left: seek(by: .zero - Self.step)
    case .right: seek(by: Self.step)
    case .up: change(by: Self.notch)
    case .down: change(by: -Self.notch)
    default: break
    }
  }

  private func seek(by distance: Duration) {
    guard let current else { return }
    let target = max(.zero, current.position + distance)
    // The duration is 0 if it is unknown.
    let end = current.duration > .zero ? current.duration : target
    send(.seek, ["to": min(end, target).json])
  }

  private func change(by notch: Double) {
    guard let current else { return }
    let volume = ((current.volume + notch) * 100).rounded() / 100
    send(.volume, ["volume": max(0, min(1, volume)).json, "fade": Duration.zero.json])
  }

  /// Sends a verb for the current sound. Failures are ignored, because the play itself reports that
  /// the player has ended.
  private func send(
    _ verb: PlayerVerb, _ more: JSONObject = [:],
    waitingUpTo limit: Duration = PlayTerminal.patience
  ) {
    guard let current else { return }
    var members: JSONObject = [
      "name": .string(current.name), "device": .string(order.device),
      "environment": order.environment.object,
    ]
    for member in more.members { members[member.key] = member.value }
    take(ask(verb, members, waitingUpTo: limit))
  }

  private func refresh() { take(ask(.status)) }

  private func take(_ sounds: [SoundStatus]) {
    let names = Set(names: order.sounds.map(\.name))
    let mine = sounds.filter {
      $0.output.isSameName(as: order.device) && names.contains(name: $0.name)
    }
    current =
      mine.first { $0.state == .playing } ?? mine.first { $0.state == .paused } ?? current
  }

  private func ask(
    _ verb: PlayerVerb, _ members: JSONObject = [:],
    waitingUpTo limit: Duration = PlayTerminal.patience
  ) -> [SoundStatus] {
    if client == nil { client = try? PlayerClient.listening(within: Self.patience) }
    do {
      guard let answer = try client?.ask(verb, members, waitingUpTo: limit) else { return [] }
      return try SoundStatusReport(answer).sounds
    } catch {
      // After a timeout, the player still carries out the request. After any other error, the
      // player has refused the request or is of another version, and the next tick connects again.
      if error as? ControlError != .timedOut { client = nil }
      return []
    }
  }
}
