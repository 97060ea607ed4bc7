import Testing

@testable import PipeWire

@Suite("The frames that a cycle has missed")
struct CycleClockTests {
  private let clock = CycleClock(
    driver: 1, position: 48_000, nanoseconds: 1_000_000_000, rate: 48_000)

  private func start(
    _ driver: UInt32 = 1, at position: UInt64, after milliseconds: UInt64
  ) -> CycleClock {
    CycleClock(
      driver: driver, position: position, nanoseconds: 1_000_000_000 + milliseconds * 1_000_000,
      rate: 48_000)
  }

  /// Returns the frames that were lost after a cycle of 1,024 frames.
  private func lost(until next: CycleClock, _ length: Int = 1_024) -> Int {
    clock.lost(until: next, (1_024, length))
  }

  @Test("Are none if the driver continues, even if its thread is late")
  func none() {
    let next = clock.after(1_024)
    #expect(next.position == 49_024 && next.nanoseconds == 1_021_333_333)
    #expect(lost(until: next) == 0)
    #expect(lost(until: start(at: 49_024, after: 100)) == 0)
  }

  @Test("Are exactly those that the driver counted")
  func counted() {
    #expect(lost(until: start(at: 49_024 + 3_072, after: 91)) == 3_072)
    #expect(lost(until: start(at: 49_024 + 96_000, after: 2_024)) == 96_000)
  }

  @Test("Are computed from the time if the driver stopped or was replaced")
  func timed() {
    #expect(lost(until: start(at: 49_024, after: 2_000)) == 96_000 - 1_024)
    #expect(lost(until: start(2, at: 7, after: 100)) == 4_800 - 1_024)
    #expect(lost(until: start(at: 0, after: 1_000)) == 48_000 - 1_024)
    #expect(lost(until: start(2, at: 7, after: 10)) == 0)
  }

  @Test(
    "Are none if the length of the cycles changes, for positions of the starts and of the ends",
    arguments: [16, 256, 2_048, 8_192])
  func lengths(length: Int) {
    let end = 48_000 + UInt64(length)
    // A driver that records wakes once it has the whole cycle.
    let times = [UInt64(21), UInt64(length) / 48]
    for time in times {
      #expect(lost(until: start(at: 49_024, after: time), length) == 0)
      #expect(lost(until: start(at: end, after: time), length) == 0)
    }
    let longer = max(1_024, UInt64(length))
    #expect(lost(until: start(at: 48_000 + longer + 4_096, after: 100), length) == 4_096)
  }
}

@Suite("The times of the cycles of a capture")
struct CycleSequenceTests {
  /// The behavior of a driver.
  enum Driver: CaseIterable, Sendable {
    /// A virtual device: each cycle lasts as long as its own frames.
    case timer
    /// A card that plays: it wakes when the frames of the cycle before were played.
    case playback
    /// A card that records: it wakes when it has the frames of the cycle.
    case capture

    /// Returns the cycle whose length is the time between the wakeups of a cycle and the next one.
    func wait(after cycle: Int) -> Int {
      switch self {
      case .timer: cycle
      case .playback: max(0, cycle - 1)
      case .capture: cycle + 1
      }
    }
  }

  private static let lengths = [
    1_024, 1_024, 256, 256, 2_048, 2_048, 2_048, 512, 8_192, 64, 64, 64,
  ]

  /// Returns the steps of a driver. The last element of `lengths` is not a cycle.
  private func steps(_ driver: Driver, lateness: [Int: UInt64] = [:]) -> [CycleSequence.Step] {
    var sequence = CycleSequence()
    var clock = CycleClock(driver: 7, position: 0, nanoseconds: 5_000_000_000, rate: 48_000)
    return Self.lengths.indices.dropLast().map { cycle in
      clock.nanoseconds += lateness[cycle] ?? 0
      let step = sequence.add(
        clock, length: Self.lengths[cycle], isRecorder: driver == .capture)
      clock.position += UInt64(Self.lengths[cycle])
      clock.nanoseconds += Self.nanoseconds(Self.lengths[driver.wait(after: cycle)])
      return step
    }
  }

  private static func nanoseconds(_ frames: Int) -> UInt64 {
    UInt64(frames) * 1_000_000_000 / 48_000
  }

  @Test("Advance by the frames between them while the length changes", arguments: Driver.allCases)
  func lengths(driver: Driver) {
    let steps = steps(driver)
    let first = 5_000_000_000 - (driver == .capture ? Self.nanoseconds(1_024) : 0)
    var frames = 0
    for (step, length) in zip(steps, Self.lengths) {
      let error = Int64(bitPattern: step.time &- (first + Self.nanoseconds(frames)))
      #expect(abs(error) < 1_000, "after \(frames) frames")
      #expect(step.lost == 0)
      frames += length
    }
    #expect(steps.dropFirst().allSatisfy { $0.isNext && !$0.isOutdated })
  }

  @Test("Show a driver that is late")
  func late() {
    let steps = [steps(.timer), steps(.timer, lateness: [6: 7_000_000])]
    let delays = zip(steps[0], steps[1]).map { $1.time - $0.time }
    #expect(delays == [0, 0, 0, 0, 0, 0] + Array(repeating: 7_000_000, count: 5))
  }

  @Test("Continue if another driver shows the clock of the former one at first")
  func outdated() {
    var sequence = CycleSequence()
    let clock = CycleClock(driver: 7, position: 100, nanoseconds: 5_000_000_000, rate: 48_000)
    _ = sequence.add(clock, length: 480, isRecorder: false)
    let second = sequence.add(clock, length: 480, isRecorder: false)
    #expect(second.isOutdated && second.isNext && second.time == 5_010_000_000)
    let other = CycleClock(driver: 9, position: 0, nanoseconds: 5_030_000_000, rate: 48_000)
    let third = sequence.add(other, length: 480, isRecorder: false)
    #expect(!third.isOutdated && !third.isNext && third.lost == 480)
    #expect(third.time == 5_020_000_000)
  }
}
