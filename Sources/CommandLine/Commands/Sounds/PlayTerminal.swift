internal import Control
internal import JSON
internal import Linux

/// The terminal of a play that waits for a file: a line with the position, and keys that control it.
final class PlayTerminal {
  private let order: PlayOrder
  private let screen: LiveScreen
  private let signals: Signals
  private let ticks: Timer
  private var client: PlayerClient?
  /// The sound of the order that plays or is paused.
  private var current: SoundStatus?
  /// True once the user has ended the play.
  private(set) var isOver = false

  /// The time between two drawings.
  private static let pace = Duration.milliseconds(200)
  /// The distance of a seek.
  private static let step = Duration.seconds(5)
  /// The change of the volume.
  private static let notch = 0.05

  /// The terminal of an order; nil where there is none, and for orders that have no keys: names of
  /// the library are short, and what is typed meanwhile belongs to the shell. A job in the background
  /// uses it once it is brought to the front.
  static func open(for order: PlayOrder, _ console: Console) -> PlayTerminal? {
    let isShown = [StandardStream.input, .error].allSatisfy { Terminal.isTerminal($0.rawValue) }
    guard isShown, order.waits, !console.isJSON, !console.isQuiet,
      order.sounds.allSatisfy({ $0.path != nil && $0.name != "-" })
    else { return nil }
    return try? PlayTerminal(order)
  }

  private init(_ order: PlayOrder) throws(SystemError) {
    self.order = order
    let ticks = try Timer(on: .monotonic)
    try ticks.set(after: Self.pace, every: Self.pace)
    self.ticks = ticks
    signals = try Signals([
      .interrupt, .terminate, .quit, .hangUp, .terminalStop, .windowChange,
    ])
    screen = LiveScreen(isQuiet: false, hint: .playing)
  }

  /// Serves the terminal while the play waits, until the user ends it.
  var watch: ControlClient.Watch {
    ControlClient.Watch {
      [self.signals.descriptor.number, self.screen.number, self.ticks.descriptor.number]
    } _: { [self] in
      serve()
      return !isOver
    }
  }

  /// Removes the line and gives the keys back.
  func close() { screen.close() }

  private func serve() {
    while let arrival = signals.next() {
      switch arrival.signal {
      case .windowChange: break
      case .terminalStop: suspend()
      default: screen.obey(arrival.signal)
      }
    }
    for key in screen.keys() where !isOver { obey(key) }
    if isOver { return close() }
    _ = ticks.clear()
    guard screen.isInFront else { return }
    look()
    if let current { screen.draw(LiveView(current), inLine: true) }
  }

  /// Ctrl-Z: the sound pauses and resumes with the process, unless it was paused before.
  private func suspend() {
    let isPlaying = current?.state == .playing
    if isPlaying { tell(.pause) }
    screen.obey(.terminalStop)
    if isPlaying { tell(.resume) }
  }

  private func obey(_ key: Key) {
    switch key {
    case .character("q"), .escape: isOver = true
    case .character(" "): tell(current?.state == .paused ? .resume : .pause)
    case .left: seek(by: .zero - Self.step)
    case .right: seek(by: Self.step)
    case .up: change(by: Self.notch)
    case .down: change(by: -Self.notch)
    default: break
    }
  }

  private func seek(by distance: Duration) {
    guard let current else { return }
    let place = max(.zero, min(current.duration, current.position + distance))
    tell(.seek, ["to": place.json])
  }

  private func change(by notch: Double) {
    guard let current else { return }
    let volume = ((current.volume + notch) * 100).rounded() / 100
    tell(.volume, ["volume": max(0, min(1, volume)).json, "fade": Duration.zero.json])
  }

  /// Sends a verb for the current sound; the play itself reports a player that is gone.
  private func tell(_ verb: PlayerVerb, _ more: JSONObject = [:]) {
    guard let current else { return }
    var members: JSONObject = [
      "name": .string(current.name), "device": .string(order.device),
      "environment": order.environment.object,
    ]
    for member in more.members { members[member.key] = member.value }
    take(ask(verb, members))
  }

  private func look() { take(ask(.status)) }

  private func take(_ sounds: [SoundStatus]) {
    let names = Set(order.sounds.map(\.name))
    let mine = sounds.filter { $0.output == order.device && names.contains($0.name) }
    current =
      mine.first { $0.state == .playing } ?? mine.first { $0.state == .paused } ?? current
  }

  private func ask(_ verb: PlayerVerb, _ members: JSONObject = [:]) -> [SoundStatus] {
    if client == nil { client = try? PlayerClient.running() }
    do throws(Failure) {
      guard let answer = try client?.ask(verb, members, waitingUpTo: .seconds(5)) else { return [] }
      return try SoundStatusReport(answer).sounds
    } catch {
      // Refused, or of another version: the next tick asks again.
      client = nil
      return []
    }
  }
}
