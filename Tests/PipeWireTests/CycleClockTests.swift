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

  @Test("Are none if the driver continues, even if its thread is late")
  func none() {
    let next = clock.after(1_024)
    #expect(next.position == 49_024 && next.nanoseconds == 1_021_333_333)
    #expect(next.lost(until: start(at: 49_024, after: 21)) == 0)
    #expect(next.lost(until: start(at: 49_024, after: 80)) == 0)
  }

  @Test("Are exactly those that the driver counted")
  func counted() {
    #expect(clock.lost(until: start(at: 48_000 + 3_072, after: 70)) == 3_072)
    #expect(clock.lost(until: start(at: 48_000 + 96_000, after: 2_003)) == 96_000)
  }

  @Test("Are computed from the time if the driver stopped or was replaced")
  func timed() {
    #expect(clock.lost(until: start(at: 48_000, after: 2_000)) == 96_000)
    #expect(clock.lost(until: start(2, at: 7, after: 10)) == 480)
    #expect(clock.lost(until: start(at: 0, after: 1_000)) == 48_000)
    #expect(clock.after(1_024).lost(until: start(2, at: 7, after: 10)) == 0)
  }
}
