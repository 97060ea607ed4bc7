internal import Audio

/// The pace of a device against the clock: the instant of its frame 0, were its pace always that of
/// now.
struct CapturePace {
  /// The state of a device at one instant.
  struct Look {
    /// The instant, with the time that the machine slept.
    var bootTime: Duration
    /// The time that the machine had slept until then.
    var slept: Duration
    /// Frames that were captured and not read.
    var ahead: Int
  }

  private let rate: SampleRate
  private var origin: Duration
  private(set) var looked: Duration
  private var slept: Duration
  /// The least number of frames missing since a moment; nil while none are.
  private var shortfall: (since: Duration, least: Int)?

  /// The divisor of the largest drift: no crystal is off by a ten-thousandth.
  private static let drift = 10_000
  /// The longest delay; frames later than this do not come any more.
  private static let patience = Duration.seconds(1)

  /// A device that had brought `elapsed` frames.
  init(_ look: Look, after elapsed: Int, at rate: SampleRate) {
    self.rate = rate
    origin = look.bootTime - FrameCount(elapsed + look.ahead).duration(at: rate)
    (looked, slept) = (look.bootTime, look.slept)
  }

  /// True if the machine slept since the last look.
  func hasSlept(until look: Look) -> Bool { look.slept - slept > .milliseconds(100) }

  /// Returns the number of frames that are due and did not come; negative if more came than the
  /// clock allows.
  func missing(at look: Look, after elapsed: Int) -> Int {
    let late = look.bootTime - origin - FrameCount(elapsed + look.ahead).duration(at: rate)
    // To the nearest.
    return Int(FrameCount(late + FrameCount(1).duration(at: rate) / 2, at: rate).value)
  }

  /// Starts from this look, after a loss was counted: only its moment matters.
  mutating func look(_ look: Look) {
    (looked, slept) = (look.bootTime, look.slept)
    shortfall = nil
  }

  /// Follows a device that drifts against the clock; returns the frames missing beyond the
  /// tolerance for longer than `patience`.
  mutating func follow(_ look: Look, after elapsed: Int, tolerating tolerance: Int) -> Int {
    let missing = missing(at: look, after: elapsed)
    let late = FrameCount(missing).duration(at: rate)
    // Frames that come early were not late before.
    origin += missing < 0 ? late : min(late, (look.bootTime - looked) / Self.drift)
    (looked, slept) = (look.bootTime, look.slept)
    guard missing > tolerance else {
      shortfall = nil
      return 0
    }
    let since = shortfall?.since ?? look.bootTime
    let least = min(shortfall?.least ?? missing, missing)
    let isOver = look.bootTime - since >= Self.patience
    shortfall = isOver ? nil : (since, least)
    return isOver ? least : 0
  }
}
