internal import Audio

/// How a device keeps up with the clock: the instant of its frame 0, were its pace always that of now.
struct CapturePace {
  /// What was seen of a device at one instant.
  struct Look {
    /// When, with the time that the machine slept.
    var bootTime: Duration
    /// How long it had slept until then.
    var slept: Duration
    /// Frames that were heard and not read.
    var ahead: Int
  }

  private let rate: SampleRate
  private var origin: Duration
  private(set) var looked: Duration
  private var slept: Duration
  /// What has been missing since some moment, at the least.
  private var shortfall: (since: Duration, least: Int)?

  /// No crystal is so far off.
  private static let drift = 10_000
  /// What is late for longer than this does not come any more.
  private static let patience = Duration.seconds(1)

  /// A device that had brought `elapsed` frames.
  init(_ look: Look, after elapsed: Int, at rate: SampleRate) {
    self.rate = rate
    origin = look.bootTime - FrameCount(elapsed + look.ahead).duration(at: rate)
    (looked, slept) = (look.bootTime, look.slept)
  }

  /// Whether the machine slept since the last look.
  func hasSlept(until look: Look) -> Bool { look.slept - slept > .milliseconds(100) }

  /// How many frames should have been heard and were not; less than none where more came than the clock knows of.
  func missing(at look: Look, after elapsed: Int) -> Int {
    let late = look.bootTime - origin - FrameCount(elapsed + look.ahead).duration(at: rate)
    // To the nearest.
    return Int(FrameCount(late + FrameCount(1).duration(at: rate) / 2, at: rate).value)
  }

  /// The account is right again: only the moment counts.
  mutating func look(_ look: Look) {
    (looked, slept) = (look.bootTime, look.slept)
    shortfall = nil
  }

  /// Follows a device that drifts against the clock; returns what is missing by more than is tolerated, for long.
  mutating func follow(_ look: Look, after elapsed: Int, tolerating tolerance: Int) -> Int {
    let missing = missing(at: look, after: elapsed)
    let late = FrameCount(missing).duration(at: rate)
    // What comes too early was no delay before.
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
