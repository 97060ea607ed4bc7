internal import Control
internal import JSON
internal import Linux

/// Ctrl-Z on a play that waits: its sounds pause and resume with the process.
enum PlaySuspension {
  /// Starts a thread that waits for Ctrl-Z.
  static func begin(for order: PlayOrder) {
    guard let signals = try? Signals([.terminalStop]) else { return }
    let handoff = Handoff(signals)
    _ = try? Thread("suspension") {
      guard let signals = handoff.take() else { return }
      while (try? signals.descriptor.wait(upTo: nil)) != nil {
        guard signals.next() != nil else { continue }
        tell("pause", order, where: .playing)
        Signal.terminalStop.obey()
        tell("resume", order, where: .paused)
      }
    }
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
