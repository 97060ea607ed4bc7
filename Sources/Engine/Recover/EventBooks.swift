internal import Audio
internal import Recording
internal import Takes

/// The counts of a take's frames, derived from its events.
struct EventBooks {
  private(set) var frames = Accounting()
  private(set) var gaps: [Gap] = []
  private(set) var marks = 0

  /// The journal of a take in a shared directory may come from anybody: a line beyond the limits of
  /// any take is skipped.
  init(_ events: [PlacedEvent]) {
    for event in events {
      switch event.event {
      case .mark: marks += 1
      case .paused: break
      case .resumed(let length): Self.add(length, to: &frames.discarded)
      case .gap(let gap): if Self.add(gap.length, to: &frames.lost) { gaps.append(gap) }
      }
    }
    frames.filled = frames.lost
  }

  /// Counts all frames on the disk as captured, except inserted silence.
  mutating func settle(onDisk: FrameCount) {
    let onDisk = min(onDisk, .most)
    frames.filled = min(frames.filled, onDisk)
    frames.captured = onDisk + frames.discarded - frames.filled
  }

  /// Adds a number to a sum; false where the sum would exceed the limit of a take.
  @discardableResult
  private static func add(_ count: FrameCount, to sum: inout FrameCount) -> Bool {
    guard count >= 0, count <= .most, sum + count <= .most else { return false }
    sum += count
    return true
  }
}
