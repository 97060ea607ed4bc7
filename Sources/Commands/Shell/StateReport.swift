internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Permission
internal import Store

/// The state of recordings, sounds, permission and takes. `recorder` without arguments prints it on
/// a terminal.
struct StateReport: Report {
  let recordings: StatusReport
  /// The playing and paused sounds of the player.
  let sounds: [SoundStatus]
  /// The permission in words, or nil if its store cannot be read.
  let permission: String?
  /// The decision about microphone access, or nil if its store cannot be read.
  let access: Decision?
  /// The newest takes with a file, ordered from the oldest to the newest.
  let takes: [ListedTake]
  /// The number of takes without a file that are newer than the oldest of `takes`.
  let unfiled: Int
  /// The width of the terminal.
  var width: Int?

  private static let mostTakes = 3

  /// Returns the current state. Facts that cannot be determined are left out.
  static func current(_ console: Console) throws -> StateReport {
    let client = try SessionClient()
    // The takes are searched before the status is read, because the search can change the path of
    // the last recording in the status report.
    let newest = client.store.catalogue.newestFiles(mostTakes, TakeLookup.search(console))
    let decision = try? MicrophoneAccess.authority().decide(MicrophoneAccess.query(nil))
    return StateReport(
      recordings: client.statusReport(console), sounds: playing,
      permission: decision.map(MicrophoneAccess.phrasing.words), access: decision,
      takes: newest.takes, unfiled: newest.unfiled,
      width: Terminal.size(of: StandardStream.output.rawValue)?.columns)
  }

  private static var playing: [SoundStatus] {
    guard var client = try? PlayerClient.running(),
      let report = try? SoundStatusReport(client.ask(.status, waitingUpTo: .seconds(1)))
    else { return [] }
    return report.sounds.filter { $0.state == .playing || $0.state == .paused }
  }

  func text(_ style: Style) -> String {
    var parts = [recordings.text(style)]
    if !sounds.isEmpty {
      parts.append(style.heading("Sounds") + "\n" + definitions(sounds.map(row)))
    }
    if let permission {
      let lines = wrapped(permission, width: textWidth - 2).map { "  \($0)\n" }
      parts.append(style.heading("Microphone access") + "\n" + lines.joined())
    }
    if !takes.isEmpty || unfiled > 0 {
      var table = TakeTable(takes, width: width, style: style)
      let others =
        unfiled == 0 ? "" : paragraph("\(counted(unfiled, "take")) without a file: recorder takes")
      parts.append(style.heading("Last takes") + "\n" + table.lines(takes[...]) + others)
    }
    parts.append(style.heading("Next") + "\n" + definitions(advice, widest: 36))
    return parts.joined(separator: "\n")
  }

  private func row(_ sound: SoundStatus) -> Row {
    (printable(sound.name), sound.state.rawValue)
  }

  /// The commands that the user is likely to need next.
  private var advice: [Row] {
    var rows = recordings.isIdle ? beginning : control
    if !recordings.interrupted.isEmpty || !recordings.missing.isEmpty {
      rows.append(("recorder recover", "Save interrupted recordings"))
    }
    if !takes.isEmpty {
      rows.append(("recorder play @1", "Play the newest take"))
    }
    return rows + [("recorder help", "List all commands")]
  }

  /// The commands that lead to the next recording.
  private var beginning: [Row] {
    let start: Row = ("recorder start", "Start a recording")
    let grant: Row = ("recorder permission grant", "Allow recording")
    switch (access?.status, access?.reason) {
    case (.authorized, _): return [start]
    case (.notDetermined, _): return [grant, start]
    case (.denied, .user): return [grant]
    case (.denied, _), (.restricted, _), (nil, _):
      return [("recorder permission status", "Show why recording is refused")]
    }
  }

  /// The commands for the running recordings.
  private var control: [Row] {
    recordings.recordings.flatMap { status in
      let name = argument(of: status.name)
      return status.isArmed
        ? [
          ("recorder trigger\(name)", "Start the waiting take"),
          ("recorder cancel\(name)", "Stop waiting, without a file"),
        ] : [(stopCommand(status.name), "Stop the recording and save it")]
    }
  }

  var json: JSONObject {
    var members = recordings.json
    members.set("permission", permission)
    return members
  }
}
