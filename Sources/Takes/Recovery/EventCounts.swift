internal import Audio
internal import Recording

/// The frame counts of a take, derived from its events and the length of its file.
struct EventCounts {
  private(set) var frames = Accounting()
  private(set) var gaps: [Gap] = []
  private(set) var marks = 0

  /// Calculates the counts from the events. All frames in the file count as captured, except the
  /// silence that fills gaps. In a shared directory, any user may have written the journal, so an
  /// event that exceeds the limits of a take is skipped.
  ///
  /// - Parameters:
  ///   - file: the rate of the file, which is the rate of the positions in the events.
  ///   - device: the rate of the device, which is the rate of the lengths in the events and of the
  ///     positions in `gaps`.
  ///   - onDisk: the number of frames in the file, at the rate of the device.
  init(
    _ events: [PositionedEvent], from file: SampleRate, to device: SampleRate, onDisk: FrameCount
  ) {
    let onDisk = min(onDisk, .most)
    var lostBefore: FrameCount?
    for event in events {
      switch event.event {
      case .mark: marks += 1
      case .paused: lostBefore = frames.lost
      case .resumed(let length):
        // The length of a pause includes the frames that the device lost during the pause. Lost
        // frames were not captured, so they do not count as discarded.
        let lost = lostBefore.map { frames.lost - $0 } ?? 0
        Self.add(max(0, length - lost), to: &frames.discarded)
        lostBefore = nil
      case .gap(var gap, let isFilled):
        gap.position = event.frame.converted(from: file, to: device)
        guard Self.add(gap.length, to: &frames.lost) else { continue }
        gaps.append(gap)
        if isFilled { frames.filled += gap.silence(upTo: onDisk) }
      case .track, .device: continue
      }
    }
    frames.filled = min(frames.filled, onDisk)
    frames.captured = onDisk + frames.discarded - frames.filled
  }

  /// Adds a number to a sum; returns false if the sum would exceed the limit of a take.
  @discardableResult
  private static func add(_ count: FrameCount, to sum: inout FrameCount) -> Bool {
    guard count >= 0, count <= .most, sum + count <= .most else { return false }
    sum += count
    return true
  }
}
