internal import Audio

/// The part of a playback device's buffer that is kept full. The frames in the buffer play even
/// after their sound was stopped, so this part is small if possible.
///
/// PipeWire takes a whole period in one step. So with one period in the buffer, the program has the
/// time of a period to write the next one. One period is not enough if a cycle of the graph is
/// longer. So the whole buffer is kept full until the length of some cycles is known. A card
/// takes one frame after another, so its whole buffer is always kept full.
struct BufferFill {
  private enum Stage {
    /// The whole buffer is kept full.
    case whole
    /// The whole buffer is kept full, until it is known how many frames the device takes in a
    /// cycle. Then one of the other stages follows. `cycles` is the number of long cycles so far.
    case undecided(cycles: Int)
    /// About one period is kept in the buffer.
    case brief
  }

  private let capacity: FrameCount
  private let period: FrameCount
  /// Whether one period in the buffer may be enough. False if the device takes one frame after
  /// another, if the buffer does not hold two to three periods, or if the buffer has run dry.
  private(set) var mayBeBrief: Bool
  private var stage = Stage.whole

  init(of setup: StreamSetup) {
    (capacity, period) = (setup.buffer, setup.period)
    let fewest = setup.period + setup.period
    mayBeBrief = setup.isPipeWire && (fewest..<fewest + setup.period).contains(setup.buffer)
  }

  /// The number of free frames that wakes the writer, or nil for one period. With this number, the
  /// writer wakes when the buffer contains less than one period.
  var wakingRoom: FrameCount? {
    mayBeBrief ? capacity - period + 1 : nil
  }

  /// The time until the next check of how many frames the device has taken, or nil if no check is
  /// needed. This time is much shorter than a cycle, so two cycles are not counted as one.
  var nextLook: Duration? {
    if case .undecided = stage { .milliseconds(5) } else { nil }
  }

  var isBrief: Bool {
    if case .brief = stage { true } else { false }
  }

  /// Resets the stage after a stop: the whole buffer is filled before the next start.
  mutating func end() { stage = .whole }

  /// Makes the stage undecided when the device starts. If one period cannot be enough, or if the
  /// buffer is not full yet, the whole buffer is kept full instead.
  mutating func begin(room: FrameCount) {
    stage = mayBeBrief && room == 0 ? .undecided(cycles: 0) : .whole
  }

  /// Decides which stage follows, as soon as a full buffer has free space. The number of free
  /// frames is the number that the device took in a cycle.
  ///
  /// If the device took more than a period, either the cycles are too long for one period in the
  /// buffer, or this thread was late. So the whole buffer is kept full only after several such
  /// cycles. If the device took less than half a period, a full buffer saves wakes.
  mutating func note(room: FrameCount) {
    guard case .undecided(let cycles) = stage, room > 0 else { return }
    if room <= period {
      stage = room + room >= period ? .brief : .whole
    } else {
      stage = cycles < Self.longCycles ? .undecided(cycles: cycles + 1) : .whole
    }
  }

  private static let longCycles = 3

  /// Keeps the whole buffer full from now on, because the buffer has run dry. Returns the previous
  /// value of `mayBeBrief`.
  mutating func keepWhole() -> Bool {
    defer { (mayBeBrief, stage) = (false, .whole) }
    return mayBeBrief
  }

  /// Returns the number of frames to write into a buffer with `room` free frames. The buffer then
  /// contains a period and a sixteenth of a period, because PipeWire sometimes takes one frame more
  /// than a period when it converts the rate.
  func wanted(of room: FrameCount) -> FrameCount {
    let level = period + FrameCount(period.value / 16)
    return max(0, level - (capacity - room))
  }
}
