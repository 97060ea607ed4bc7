internal import Audio

/// The part of a playback device's buffer that is kept full. The frames in it play even after a
/// stop.
///
/// PipeWire takes a whole period in one step, and the next only after the time of that period. A
/// card takes one frame after another. So one period in the buffer is as safe with PipeWire as a
/// full buffer is with a card. If the cycles of the PipeWire graph are longer than a period, the
/// first cycles show this. The buffer is full during these cycles.
struct BufferFill {
  private enum Stage {
    /// The whole buffer is kept full.
    case whole
    /// The whole buffer is kept full, until the numbers of frames that the device takes show which
    /// of the other stages applies.
    case undecided(cycles: Int)
    /// About one period is kept in the buffer.
    case brief
  }

  private let capacity: FrameCount
  private let period: FrameCount
  /// Whether one period in the buffer may be enough. False if the device takes one frame after
  /// another, if the buffer does not hold two to three periods, and after the buffer ran dry.
  private(set) var mayBeBrief: Bool
  private var stage = Stage.whole

  init(of setup: StreamSetup) {
    (capacity, period) = (setup.buffer, setup.period)
    let fewest = setup.period + setup.period
    mayBeBrief = setup.isPipeWire && (fewest..<fewest + setup.period).contains(setup.buffer)
  }

  /// The free space that wakes the writer: one frame more than the free space of a buffer that
  /// contains one period. Nil means a free space of one period.
  var wakingRoom: FrameCount? {
    mayBeBrief ? capacity - period + 1 : nil
  }

  /// The time until the next check of the frames that the device took, or nil if no check is
  /// needed. It is much shorter than a cycle, so two cycles are not counted as one.
  var nextLook: Duration? {
    if case .undecided = stage { .milliseconds(5) } else { nil }
  }

  var isBrief: Bool {
    if case .brief = stage { true } else { false }
  }

  /// Fills the whole buffer before the next start.
  mutating func end() { stage = .whole }

  /// Restarts the decision when the device starts. If the buffer is not full yet, there is no
  /// decision, and the whole buffer is kept full.
  mutating func begin(room: FrameCount) {
    stage = mayBeBrief && room == 0 ? .undecided(cycles: 0) : .whole
  }

  /// Decides by the free space that the device made in a full buffer, as soon as there is any.
  ///
  /// A free space of more than a period counts only if it occurs repeatedly, because this thread
  /// may have been late. If the cycles of PipeWire are very short, a full buffer saves wakes.
  mutating func note(room: FrameCount) {
    guard case .undecided(let cycles) = stage, room > 0 else { return }
    if room <= period {
      stage = room + room >= period ? .brief : .whole
    } else {
      stage = cycles < Self.longCycles ? .undecided(cycles: cycles + 1) : .whole
    }
  }

  private static let longCycles = 3

  /// Keeps the whole buffer full from now on, after it ran dry. Returns false if the whole buffer
  /// was already kept full.
  mutating func keepWhole() -> Bool {
    defer { (mayBeBrief, stage) = (false, .whole) }
    return mayBeBrief
  }

  /// Returns the number of frames to write into a buffer with `room` free frames. The buffer then
  /// holds a sixteenth more than a period, because PipeWire sometimes takes one frame more when it
  /// converts the rate.
  func wanted(of room: FrameCount) -> FrameCount {
    let level = period + FrameCount(period.value / 16)
    return max(0, level - (capacity - room))
  }
}
