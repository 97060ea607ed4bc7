/// The clock of a cycle, as the driver of the graph reports it.
struct CycleClock: Hashable {
  /// The number of the driver, the node that decides when cycles begin.
  var driver: UInt32
  /// The driver's count of frames: the count at the start of the cycle in PipeWire 0.3.70 and
  /// later, and at the end of the cycle in earlier versions.
  var position: UInt64
  /// The time at which the driver woke, in nanoseconds of CLOCK_MONOTONIC.
  var nanoseconds: UInt64
  /// Frames per second.
  var rate: UInt32

  /// The longest delay of a wakeup, in milliseconds, that can come from a busy processor. A longer
  /// delay means that the driver was stopped.
  private static var longestDelay: Int64 { 100 }

  /// Returns the clock of the next cycle, after a cycle of this number of frames.
  @_noLocks @_noAllocation
  func after(_ frames: Int) -> CycleClock {
    var next = self
    next.position &+= UInt64(frames)
    next.nanoseconds &+= UInt64(frames) &* 1_000_000_000 / UInt64(max(1, rate))
    return next
  }

  /// Returns the number of frames that were lost between this cycle and a later one.
  ///
  /// A driver counts its frames exactly. If the driver was stopped, or another driver has replaced
  /// it, the lost frames are computed from the time instead. If the lengths of the cycles differ
  /// and no frame was lost, the positions differ by one of the two lengths, because some servers
  /// count to the start of a cycle and others to its end.
  ///
  /// - Parameters:
  ///   - next: the clock of the later cycle.
  ///   - lengths: the numbers of frames of both cycles.
  ///   - formerChange: the difference between the lengths of this cycle and of the previous cycle.
  ///     Such a difference may delay the next wakeup.
  @_noLocks @_noAllocation
  func lost(
    until next: CycleClock, _ lengths: (own: Int, next: Int), after formerChange: Int = 0
  ) -> Int {
    let passed = Int(next.time(since: self))
    let byTime = max(0, passed - lengths.own)
    let (shorter, longer) = (min(lengths.own, lengths.next), max(lengths.own, lengths.next))
    let counted = Int(Int64(bitPattern: next.position &- position))
    guard next.driver == driver, counted >= shorter else { return byTime }
    let late = passed - counted - max(longer - shorter, formerChange)
    let isStopped = late > Int(Int64(rate) * Self.longestDelay / 1_000)
    return isStopped ? byTime : counted - (counted < longer ? shorter : longer)
  }

  /// Returns the time since another clock, in frames.
  @_noLocks @_noAllocation
  private func time(since earlier: CycleClock) -> Int64 {
    let time = Int64(bitPattern: nanoseconds &- earlier.nanoseconds)
    return (time &* Int64(rate) &+ 500_000_000) / 1_000_000_000
  }
}

/// The cycles of a capture in their order: the frames that were lost between them, and their times.
///
/// If the length of the cycles changes, the wakeups of a driver move relative to its sound: a
/// microphone wakes at the end of a cycle, and a speaker wakes when it has played the previous
/// cycle. The sound itself continues without a step. So the times in this sequence continue without
/// a step too, if no frame was lost.
struct CycleSequence {
  /// The relation of a cycle to the previous cycle.
  struct Step {
    /// The number of frames that were lost between the two cycles.
    var lost: Int
    /// Whether no frame was lost since the previous cycle, and the driver is the same.
    var isNext: Bool
    /// Whether the server reported the clock of the previous cycle again. PipeWire 0.3 may do this
    /// in the first cycle of another driver.
    var isOutdated: Bool
    /// The time of the sound at the end of the previous cycle, in nanoseconds of CLOCK_MONOTONIC.
    var time: UInt64
  }

  private struct Cycle {
    /// The clock, as the server reported it.
    var shown: CycleClock
    var clock: CycleClock
    var length: Int
    /// The difference to the length of the previous cycle.
    var change: Int
  }

  private var last: Cycle?
  /// The time from the start of a cycle's sound to the driver's wakeup, in nanoseconds.
  private var shift: Int64 = 0

  /// Adds a cycle.
  ///
  /// - Parameters:
  ///   - clock: the clock that the server reports.
  ///   - length: the number of frames.
  ///   - isRecorder: whether the driver is a microphone, which wakes when it has captured the
  ///     cycle. This value matters only for the first cycle.
  mutating func add(_ clock: CycleClock, length: Int, isRecorder: Bool) -> Step {
    guard let last else {
      shift = isRecorder ? Int64(clock.after(length).nanoseconds &- clock.nanoseconds) : 0
      last = Cycle(shown: clock, clock: clock, length: length, change: 0)
      return Step(lost: 0, isNext: false, isOutdated: false, time: time(clock))
    }
    let isOutdated = clock == last.shown
    let expected = last.clock.after(last.length)
    let start = isOutdated ? expected : clock
    let lost = last.clock.lost(until: start, (last.length, length), after: last.change)
    let isNext = lost == 0 && start.driver == last.clock.driver
    let change = abs(length - last.length)
    if isNext {
      let most = start.after(max(change, last.change)).nanoseconds &- start.nanoseconds
      let moved = Int64(bitPattern: start.nanoseconds &- expected.nanoseconds)
      shift += min(max(moved, -Int64(most)), Int64(most))
    }
    self.last = Cycle(shown: clock, clock: start, length: length, change: change)
    return Step(
      lost: lost, isNext: isNext, isOutdated: isOutdated, time: time(lost > 0 ? expected : start))
  }

  /// Forgets all cycles.
  mutating func reset() { last = nil }

  private func time(_ clock: CycleClock) -> UInt64 {
    UInt64(max(0, Int64(bitPattern: clock.nanoseconds) - shift))
  }
}
