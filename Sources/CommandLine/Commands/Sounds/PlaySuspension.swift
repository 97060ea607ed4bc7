internal import Control
internal import JSON
internal import Linux

/// Ctrl-Z on a play that waits: its sounds pause and resume with the process.
enum PlaySuspension {
  /// Collects Ctrl-Z from now on, to be served while the play waits; nil where the system refuses.
  static func watch(for order: PlayOrder) -> ControlClient.Watch? {
    guard let signals = try? Signals([.terminalStop]) else { return nil }
    let held = Held(signals)
    return ControlClient.Watch(held.signals.descriptor.number) {
      guard held.signals.next() != nil else { return }
      tell("pause", order, where: .playing)
      Signal.terminalStop.obey()
      tell("resume", order, where: .paused)
    }
  }

  /// Keeps the signals for as long as the closure that reads them.
  private final class Held {
    let signals: Signals
    init(_ signals: consuming Signals) { self.signals = signals }
  }

  /// Sends a verb for the order's sounds in one state; the play itself reports failures.
  private static func tell(_ verb: String, _ order: PlayOrder, where state: SoundStatus.State) {
    guard var link = try? PlayerLink.running(),
      let report = try? SoundStatusReport(link.ask("status"))
    else { return }
    let names = Set(order.sounds.map(\.name))
    for sound in report.sounds
    where sound.state == state && sound.output == order.device && names.contains(sound.name) {
      _ = try? link.ask(
        verb,
        [
          "name": .string(sound.name), "device": .string(order.device),
          "environment": order.environment.object,
        ])
    }
  }
}
