package import Audio
package import Recording

/// A warning about a live recording, before it is too late.
package enum SessionWarning: Hashable, Sendable {
  /// Only digital silence has been captured so far.
  case silence
  /// The disk is full after this many more seconds.
  case disk(seconds: Double)
  case lost(FrameCount)
  /// The device is disconnected, for this long.
  case away(Duration)
  /// Files of the series that retention skips, because somebody has changed them.
  case changed([String])

  /// A warning of each kind is given once.
  package enum Kind: Hashable, Sendable {
    case silence, disk, loss, away, changed
  }

  /// The kind, of which a session reports one warning.
  package var kind: Kind {
    switch self {
    case .silence: .silence
    case .disk: .disk
    case .lost: .loss
    case .away: .away
    case .changed: .changed
    }
  }

  /// Zeros for this long mean a muted or a wrong device, not a quiet room.
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
