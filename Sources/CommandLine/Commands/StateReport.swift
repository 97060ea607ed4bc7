internal import Control
internal import JSON
internal import Linux
internal import Permission
internal import Store

/// The state of recordings, sounds, permission and takes: the page of `recorder` alone on a terminal.
struct StateReport: Report {
  let recordings: StatusReport
  /// The sounds that the player has, in a line each.
  let sounds: [SoundStatus]
  /// The permission in a sentence; nil where its store cannot be read.
  let permission: String?
  /// True if microphone access is decided.
  let isDecided: Bool
  /// The newest takes, the oldest of them first.
  let takes: [ListedTake]
  /// The width of the terminal.
  var width: Int?

  private static let mostTakes = 3

  /// The present state; what cannot be found out is left out.
  static func current(_ console: Console) throws(Failure) -> StateReport {
    let client = try SessionClient()
    let decision = try? MicrophoneAccess.authority().decide(MicrophoneAccess.query(nil))
    return StateReport(
      recordings: client.look(console), sounds: playing,
      permission: decision.map(Self.words),
      isDecided: decision?.status != .notDetermined,
      takes: client.store.newestTakes(mostTakes),
      width: Terminal.size(of: StandardStream.output.rawValue)?.columns)
  }

  private static func words(_ decision: Decision) -> String {
    switch decision.status {
    case .authorized:
      "allowed"
        + (decision.expiresAt.flatMap { $0.local(" until %Y-%m-%d %H:%M:%S") } ?? "")
    case .denied: "denied; \"recorder permission status\" says by whom"
    case .restricted: "restricted by a policy; \"recorder permission status\" says by which"
    case .notDetermined: "not decided yet; the first recording asks"
    }
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
    if !takes.isEmpty {
      var table = TakeTable(takes, width: width, style: style)
      parts.append(style.heading("Last takes") + "\n" + table.lines(takes[...]))
    }
    parts.append(style.heading("Next") + "\n" + definitions(advice, widest: 36))
    return parts.joined(separator: "\n")
  }

  private func row(_ sound: SoundStatus) -> (term: String, meaning: String) {
    (printable(sound.name), sound.state.rawValue)
  }

  /// The commands that are the likeliest next.
  private var advice: [(term: String, meaning: String)] {
    var rows: [(term: String, meaning: String)] = []
    if recordings.recordings.isEmpty {
      if !isDecided { rows.append(("recorder permission grant", "Allow recording")) }
      rows.append(("recorder start", "Start a recording"))
    } else {
      rows.append(("recorder stop", "Stop the recording and save it"))
    }
    if !recordings.interrupted.isEmpty {
      rows.append(("recorder recover", "Save what was interrupted"))
    }
    if takes.contains(where: \.exists) {
      rows.append(("recorder play @1", "Play the take that was recorded last"))
    }
    return rows + [("recorder help", "List all commands")]
  }

  var json: JSONObject {
    var members = recordings.json
    members.set("permission", permission)
    return members
  }
}
