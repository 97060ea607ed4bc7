internal import Audio
internal import CommandLine
internal import Recording

/// What the user of a recording should know before it is too late.
struct SessionWarning: Hashable {
  enum Kind: Hashable {
    case silence, disk, loss, away, changed
  }

  let kind: Kind
  let text: String

  /// Nothing but zeros for so long is a muted or a wrong device, not a quiet room.
  private static let patience = Duration.seconds(3)
  private static let leastSeconds = 300.0

  static func all(
    about progress: TakeProgress, lost: FrameCount? = nil, at rate: SampleRate, secondsFree: Double?
  ) -> [SessionWarning] {
    var warnings: [SessionWarning] = []
    if progress.highestPeak == 0, progress.leadingSilence >= FrameCount(patience, at: rate) {
      let text = "nothing but digital silence so far: is it muted, or is it another device?"
      warnings.append(SessionWarning(kind: .silence, text: text))
    }
    if let secondsFree, secondsFree < leastSeconds {
      let text = "the disk is full in \(rounded(secondsFree.rounded(.down), places: 0)) s"
      warnings.append(SessionWarning(kind: .disk, text: text))
    }
    let lost = lost ?? progress.frames.lost
    if lost > 0 {
      let text = "\(lost.value) frames lost"
      warnings.append(SessionWarning(kind: .loss, text: text))
    }
    return warnings
  }

  /// Old files of its series stay, because somebody has changed them.
  static func changed(_ files: [String]) -> [SessionWarning] {
    guard let first = files.first else { return [] }
    let rest = files.count > 1 ? ", as were \(files.count - 1) other files" : ""
    let text =
      "\(quoted(first)) was changed since it was recorded\(rest): --keep does not delete it"
    return [SessionWarning(kind: .changed, text: text)]
  }

  /// The device is awaited, and nothing has come of it for so long.
  static func away(for absence: Duration) -> [SessionWarning] {
    guard absence >= .seconds(1) else { return [] }
    let text = "the device is away: nothing has come for \(absence.components.seconds) s"
    return [SessionWarning(kind: .away, text: text)]
  }
}
