package import Audio
package import Recording

/// A warning about a live recording, before it is too late.
package enum SessionWarning: Hashable, Sendable {
  /// Nothing but digital silence so far.
  case silence
  /// The disk is full in so many seconds.
  case disk(seconds: Double)
  case lost(FrameCount)
  /// The device is awaited, and nothing has come for so long.
  case away(Duration)
  /// Old files of the series stay, because somebody has changed them.
  case changed([String])

  /// A warning of each kind is given once.
  package enum Kind: Hashable, Sendable {
    case silence, disk, loss, away, changed
  }

  package var kind: Kind {
    switch self {
    case .silence: .silence
    case .disk: .disk
    case .lost: .loss
    case .away: .away
    case .changed: .changed
    }
  }

  /// Nothing but zeros for so long is a muted or a wrong device, not a quiet room.
  private static let patience = Duration.seconds(3)
  private static let leastSeconds = 300.0

  /// The warnings that follow from the progress of a take.
  package static func all(
    about progress: TakeProgress, lost: FrameCount? = nil, at rate: SampleRate, secondsFree: Double?
  ) -> [SessionWarning] {
    var warnings: [SessionWarning] = []
    if progress.highestPeak == 0, progress.leadingSilence >= FrameCount(patience, at: rate) {
      warnings.append(.silence)
    }
    if let secondsFree, secondsFree < leastSeconds { warnings.append(.disk(seconds: secondsFree)) }
    let lost = lost ?? progress.frames.lost
    if lost > 0 { warnings.append(.lost(lost)) }
    return warnings
  }
}
