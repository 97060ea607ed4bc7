internal import Control
internal import Guard

extension Machine {
  /// The checks about the guard. A missing guard is no fault.
  var guardChecks: [Check] {
    guard let guarding else { return [] }
    return [level(guarding)] + directAccess(guarding)
  }

  private func level(_ facts: GuardFacts) -> Check {
    guard let status = facts.status else {
      if facts.isHeld {
        return .warning(
          "Guard", "not running, and the sound server keeps programs waiting for it",
          ["start it: recorder guard on", "or open the microphone: recorder guard off"])
      }
      let promise =
        switch facts.software.script {
        case .current: "before they get any sound"
        case .old, nil: "after at most a moment of sound"
        }
      return .ok(
        "Guard",
        "not running, so every program can record; with \(facts.software), \"recorder guard on\" "
          + "stops programs without permission \(promise)")
    }
    let finding = "the microphone is \(status.levelWords); installed: \(facts.software)"
    if status.level == .none {
      return .warning("Guard", finding, ["start PipeWire; the guard connects to it by itself"])
    }
    guard status.mode == GuardMode.ask.rawValue, !facts.hasBus else { return .ok("Guard", finding) }
    return .warning(
      "Guard", finding + "; without a session bus, no notification asks about programs",
      ["keep \"recorder guard ask\" open in a terminal, or type: recorder guard on --mode deny"])
  }

  /// If a guard runs, warns that programs of this user can open the devices without PipeWire.
  private func directAccess(_ facts: GuardFacts) -> [Check] {
    guard facts.status != nil, !facts.openDevices.isEmpty else { return [] }
    let (reason, removal) =
      user.hasAudioGroup
      ? ("as a member of the group audio", "sudo gpasswd -d \(user.name) audio")
      : (
        "because \(user.name) is logged in at this seat",
        "a udev rule before 73-seat-late.rules: KERNEL==\"pcmC*c\", TAG-=\"uaccess\""
      )
    return [
      .warning(
        "Direct access",
        "programs of \(user.name) may open \(facts.openDevices.joined(separator: ", ")) without "
          + "PipeWire, \(reason); no guard prevents that",
        [
          "an administrator can prevent it: first let PipeWire run as a user of its own, who may open "
            + "the devices; then \(removal)"
        ])
    ]
  }
}
