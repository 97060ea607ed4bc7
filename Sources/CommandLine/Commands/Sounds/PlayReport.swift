internal import Control
internal import JSON

/// What became of a play.
struct PlayReport: Report {
  let result: PlayResult

  var exitCode: ExitCode { result.isDisplaced ? .displaced : .done }

  /// A play that was heard needs no words.
  func text(_ style: Style) -> String { "" }

  var json: JSONObject {
    var members = result.json.object ?? [:]
    members["started"] = result.sounds.compactMap(\.started).first?.json ?? .null
    return members
  }

  /// Why something was not heard, or not to its end.
  var remarks: [String] {
    result.sounds.compactMap { sound in
      let name = quoted(sound.name)
      return switch sound.reason {
      case .playing, .ended: nil
      case .stopped: "\(name) was stopped by another command"
      case .displaced: "\(name) was played anew by another command"
      case .ignored: "\(name) plays already, or was played a moment ago"
      case .muted: "\(name) is muted; \"recorder sound unmute \(printable(sound.name))\" ends that"
      case .disabled:
        "\(name) is disabled; \"recorder sound info \(printable(sound.name))\" says where"
      }
    }
  }
}
