internal import Audio

/// The part of a playback device's buffer that is kept filled; its frames are heard even after a stop.
///
/// PipeWire takes a period at once, and the next one when that has passed. So one period in the
/// buffer is as safe there as a full buffer is on a card, which takes frame after frame. A graph with
/// longer cycles than a period shows in its first ones, for which the buffer is full.
struct BufferFill {
  private enum Stage {
    /// The buffer is filled.
    case whole
    /// The buffer is filled, and what the device takes decides.
    case undecided(cycles: Int)
    /// A period is in the buffer.
    case brief
  }

  private let capacity: FrameCount
  private let period: FrameCount
  /// False where the device takes frame after frame, where a buffer of many periods was asked for,
  /// and once it ran dry.
  private(set) var mayBeBrief: Bool
  private var stage = Stage.whole

  init(of setup: StreamSetup) {
    (capacity, period) = (setup.buffer, setup.period)
    let fewest = setup.period + setup.period
    mayBeBrief = setup.isPipeWire && (fewest..<fewest + setup.period).contains(setup.buffer)
  }

  /// The room at which to write again, more than a period that is in the buffer leaves; nil where it
  /// is a period.
  var wakingRoom: FrameCount? {
    mayBeBrief ? capacity - period + 1 : nil
  }

  /// The time until what the device took is to be noted; nil where that decides nothing. Far less
  /// than a cycle, so that two are not taken for one.
  var nextLook: Duration? {
    if case .undecided = stage { .milliseconds(5) } else { nil }
  }

  var isBrief: Bool {
    if case .brief = stage { true } else { false }
  }

  /// Fills the whole buffer before the next start.
  mutating func end() { stage = .whole }

  /// Begins anew when the device starts; a buffer that is not full yet decides nothing.
  mutating func begin(room: FrameCount) {
    stage = mayBeBrief && room == 0 ? .undecided(cycles: 0) : .whole
  }

  /// Decides by the room that the device made in a full buffer, once it has made any.
  ///
  /// More than a period counts only when it comes again: this thread may have been late. Where
  /// PipeWire's cycles are very short, a full buffer saves wakes.
  mutating func note(room: FrameCount) {
    guard case .undecided(let cycles) = stage, room > 0 else { return }
    if room <= period {
      stage = room + room >= period ? .brief : .whole
    } else {
      stage = cycles < Self.longCycles ? .undecided(cycles: cycles + 1) : .whole
    }
  }

  private static let longCycles = 3

  /// Fills the whole buffer from now on, after it ran dry; false where it does already.
  mutating func keepWhole() -> Bool {
    defer { (mayBeBrief, stage) = (false, .whole) }
    return mayBeBrief
  }

  /// The frames to write into a buffer with so much room, until it holds a sixteenth more than a
  /// period: PipeWire takes a frame more at times where it converts the rate.
  func wanted(of room: FrameCount) -> FrameCount {
    let level = period + FrameCount(period.value / 16)
    return max(0, level - (capacity - room))
  }
}
