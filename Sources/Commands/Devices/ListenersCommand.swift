internal import Devices
internal import Linux
internal import Store

/// The command `listeners`, which lists the programs that record now.
enum ListenersCommand: RunnableCommand {
  static var words: [String] { ["listeners"] }

  static var command: Command {
    Command(
      words, section: .machine, summary: "List the programs that are recording now",
      details: [
        "Shows each program that records a microphone or the sound that this computer plays, "
          + "through PipeWire or directly through ALSA.",
        "The kernel's facts about its process identify a program: as flatpak:ID, as snap:NAME, or "
          + "as path: followed by the path of its executable. If a program cannot be identified, the name "
          + "that it gives itself is shown instead. If the program is an interpreter, its script is shown, too.",
        "Recordings of test devices are not listed: \"recorder status\" shows all recordings of "
          + "recorder.",
      ],
      examples: [
        Example("recorder listeners", "List the programs that are recording"),
        Example("recorder listeners --json", "Print them as JSON"),
      ])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let (uses, failure) = DeviceUse.current()
    var report = ListenersReport(uses: uses, fault: failure.map { "\($0)" })
    let store = (try? SessionPaths.current()).map { MachineStore($0) }
    report.sessions = (store?.sessions.listeners ?? []).filter { listener in
      listener.host == nil && listener.kind != .reader
    }.map(\.record)
    return report
  }
}
