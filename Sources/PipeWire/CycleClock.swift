/// The position of the graph after a cycle, which shows how many frames a later cycle has missed.
struct CycleClock: Hashable {
  /// The number of the driver, which decides when cycles begin.
  var driver: UInt32
  /// The driver's count of frames at the start of the next cycle.
  var position: UInt64
  /// The time at the start of the next cycle, in nanoseconds of CLOCK_MONOTONIC.
  var nanoseconds: UInt64
  /// Frames per second.
  var rate: UInt32

  /// A longer delay of a start, in milliseconds, means that the driver was stopped, not that a
  /// thread was late.
  private static var longestDelay: Int64 { 100 }

  /// The position at the start of a cycle.
  init(driver: UInt32, position: UInt64, nanoseconds: UInt64, rate: UInt32) {
    self.driver = driver
    self.position = position
    self.nanoseconds = nanoseconds
    self.rate = rate
  }

  /// The position after a cycle.
  @_noLocks @_noAllocation
  func after(_ frames: UInt64) -> CycleClock {
    var next = self
    next.position &+= frames
    next.nanoseconds &+= frames &* 1_000_000_000 / UInt64(max(1, rate))
    return next
  }

  /// Returns the number of frames between this position and the start of a later cycle.
  ///
  /// The same driver counts its frames exactly. Only if it was stopped, or if another driver has
  /// replaced it, the frames are computed from the time.
  @_noLocks @_noAllocation
  func lost(until start: CycleClock) -> Int {
    let late = Int64(bitPattern: start.nanoseconds &- nanoseconds)
    let byTime = max(0, (late &* Int64(rate) &+ 500_000_000) / 1_000_000_000)
    let counted = Int64(bitPattern: start.position &- position)
    guard start.driver == driver, counted >= 0 else { return Int(byTime) }
    let isStopped = byTime - counted > Int64(rate) * Self.longestDelay / 1_000
    return Int(isStopped ? byTime : counted)
  }
}
