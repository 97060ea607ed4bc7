internal import Audio

/// Aligns the sources of a capture: in each cycle it returns the sound that all sources had in the
/// previous cycle.
///
/// The node that drives the graph plays its sound at the end of a cycle. So the ports that deliver
/// this sound have the samples of the previous cycle: their sources are *late*. All other ports
/// have the samples of the current cycle, which this object stores until the next cycle. Only the
/// real-time thread uses this object. It neither allocates nor locks.
///
/// When a source is no longer late, its sound of one cycle is lost, and silence replaces this
/// sound.
@safe final class CycleDelay {
  /// The samples of each channel in a cycle, or nil for silence.
  typealias Samples = UnsafeMutablePointer<UnsafePointer<Float>?>

  /// The number of frames in the longest cycle that PipeWire allows by default.
  static let mostFrames = 8_192

  /// The number of frames in the previous cycle, or 0 if there was none.
  private(set) var frames = 0
  /// The sources that have lost their sound of the previous cycle.
  private(set) var lost = TrackSet()
  /// The sources that were late in the previous cycle.
  private var late = TrackSet()
  private let groups: [Range<Int>]
  private let kept: UnsafeMutablePointer<Float>
  private let former: Samples

  /// Creates a delay for sources with these numbers of channels.
  init(_ channels: [Int]) {
    groups = channels.consecutiveRanges
    let count = channels.reduce(0, +)
    unsafe kept = .allocate(capacity: count * Self.mostFrames)
    unsafe kept.initialize(repeating: 0, count: count * Self.mostFrames)
    unsafe former = .allocate(capacity: count)
    unsafe former.initialize(repeating: nil, count: count)
  }

  deinit {
    unsafe kept.deallocate()
    unsafe former.deallocate()
  }

  /// Forgets the previous cycle.
  func reset() { frames = 0 }

  /// Returns the samples of the previous cycle, and finds the sources that have lost them. The
  /// samples are valid until the call of `keep`.
  ///
  /// - Parameters:
  ///   - samples: the samples of the ports.
  ///   - late: the sources whose ports have the samples of the previous cycle.
  ///   - isNext: whether this cycle directly follows the previous cycle. Otherwise, late ports have
  ///     the samples of a cycle that was lost.
  func before(_ samples: Samples, late: TrackSet, isNext: Bool) -> Samples {
    let here = isNext ? late : TrackSet()
    lost = frames > 0 ? self.late.subtracting(here) : TrackSet()
    for index in groups.indices {
      let (wasLate, isHere) = (self.late.contains(index), here.contains(index))
      for channel in groups[index] {
        let own = unsafe UnsafePointer(kept + channel * Self.mostFrames)
        unsafe former[channel] = wasLate ? isHere ? samples[channel] : nil : own
      }
    }
    self.late = late
    return unsafe former
  }

  /// Stores the samples of a cycle for the next cycle, except those of late sources. The ports of
  /// late sources deliver these samples in the next cycle.
  func keep(_ samples: Samples, _ count: Int) {
    frames = min(count, Self.mostFrames)
    for index in groups.indices where !late.contains(index) {
      for channel in groups[index] {
        let target = unsafe kept + channel * Self.mostFrames
        if let source = unsafe samples[channel] {
          unsafe target.update(from: source, count: frames)
        } else {
          unsafe target.update(repeating: 0, count: frames)
        }
      }
    }
  }
}
