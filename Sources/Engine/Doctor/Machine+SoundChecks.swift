internal import CommandLine
internal import Devices
internal import Linux
internal import Permission

extension Machine {
  /// The checks for silence where every device can be opened.
  var soundChecks: [Check] { pipeWireCheck + heldCheck + mixerChecks + permissionCheck }

  private var pipeWireCheck: [Check] {
    switch pipeWire {
    case nil: return []
    case .silent(.noTool):
      return [
        .warning(
          "PipeWire", "its nodes cannot be listed: pw-dump is not installed",
          "as root, type: apt-get install pipewire-bin")
      ]
    case .silent(let silence):
      return [
        .problem("PipeWire", "\(silence)", "systemctl --user restart pipewire wireplumber")
      ]
    case .answers(let graph):
      let counts = [
        counted(graph.nodes(.capture).count, "microphone"),
        counted(graph.nodes(.playback).count, "speaker"),
      ]
      guard graph.nodes(.capture).contains(where: { !$0.defaults.isEmpty }) else {
        return [
          .warning(
            "PipeWire", "answers, but has no microphone that programs get by default",
            "choose one: wpctl status, then wpctl set-default NUMBER",
            "or name one of \"recorder devices\" by --device")
        ]
      }
      return [.ok("PipeWire", "answers, with \(alternatives(counts, "and"))")]
    }
  }

  /// Lists devices in use; that is no fault where they can be shared, which the default device
  /// shows.
  private var heldCheck: [Check] {
    guard !held.isEmpty else { return [] }
    let words = held.map { device in
      "\(device.name) by \(alternatives(device.holders.map(\.description), "and"))"
    }
    return [.ok("In use", printable(words.joined(separator: "; ")))]
  }

  private var mixerChecks: [Check] {
    silenced.map { silenced in
      let control = silenced.control
      let isCapture = control.direction == .capture
      let state = control.isMuted ? "is muted" : "is at 0 %"
      return .warning(
        isCapture ? "Mixer in" : "Mixer out",
        printable("\(silenced.place): \"\(control.name)\" \(state)"),
        silenced.advice)
    }
  }

  private var permissionCheck: [Check] {
    guard let permission else { return [] }
    switch permission.status {
    case .authorized: return [.ok("Permission", permission.cause)]
    case .notDetermined: return [.warning("Permission", permission.cause, permission.advice)]
    case .denied, .restricted:
      return [.problem("Permission", permission.cause, permission.advice, permission.code)]
    }
  }
}
