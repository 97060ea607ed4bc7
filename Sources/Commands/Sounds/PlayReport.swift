internal import Control
internal import JSON

/// The result of a play.
struct PlayReport: Report {
  let result: PlayResult

  var exitCode: ExitCode { result.isDisplaced ? .displaced : .done }

  /// Empty: a completed play prints nothing.
  func text(_ style: Style) -> String { "" }

  var json: JSONObject {
    var members: JSONObject = ["sounds": .array(result.sounds.map(\.json))]
    members["started"] = result.sounds.compactMap(\.started).first?.json ?? .null
    return members
  }

  /// Returns the reasons why sounds were not played, or were not played to their end.
  func remarks(on order: PlayOrder) -> [String] {
    result.sounds.compactMap { sound in
      let name = quoted(sound.name)
      return switch sound.reason {
      case .playing, .ended: nil
      case .stopped: "\(name) was stopped by another command"
      case .displaced: "\(name) was played again by another command"
      case .ignored: ignored(sound, order)
      case .muted: "\(name) is muted; \"recorder sound unmute \(printable(sound.name))\" unmutes it"
      case .disabled:
        "\(name) is disabled; \"recorder sound info \(printable(sound.name))\" shows the file"
      }
    }
  }

  private func ignored(_ sound: PlayResult.Played, _ order: PlayOrder) -> String {
    let name = quoted(sound.name)
    guard let past = sound.playedBefore else { return "\(name) is already playing" }
    let left = max(.zero, order.cooldown - past)
    return
      "\(name) was played \(roughly(past)) ago; --cooldown allows the next play in \(roughly(left))"
  }
}
