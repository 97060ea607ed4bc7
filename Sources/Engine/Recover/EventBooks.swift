internal import Audio
internal import Recording
internal import Takes

/// The books of a take's frames, by its events.
struct EventBooks {
  private(set) var frames = Accounting()
  private(set) var gaps: [Gap] = []
  private(set) var marks = 0

  /// Anybody may have written the journal of a take in a directory that several share: a line that
  /// makes more of the take than any can have counts for nothing.
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

  /// Counts as captured all that is on the disk and is no silence put in.
  mutating func settle(onDisk: FrameCount) {
    let onDisk = min(onDisk, .most)
    frames.filled = min(frames.filled, onDisk)
    frames.captured = onDisk + frames.discarded - frames.filled
  }

  /// Adds one number to a sum; false where it would pass what a take can have.
  @discardableResult
  private static func add(_ count: FrameCount, to sum: inout FrameCount) -> Bool {
    guard count >= 0, count <= .most, sum + count <= .most else { return false }
    sum += count
    return true
  }
}
