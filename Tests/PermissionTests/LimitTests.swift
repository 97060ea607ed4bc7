import Linux
import Testing

@testable import Permission

struct LimitTests {
  static let hour = Duration.seconds(3_600)

  @Test("Within a boot only the boot clock counts, and not the calendar")
  func sameBoot() {
    for step in [0, -86_400, 86_400, -2_000_000_000, 9_000_000_000] {
      let moved = ClockReading.morning.calendarMoved(by: .seconds(step))
      #expect(remaining(.anHour, moved) == Self.hour)
      #expect(remaining(.anHour, moved.later(.seconds(3_599))) == .seconds(1))
      #expect(remaining(.anHour, moved.later(Self.hour)) == nil)
    }
  }

  @Test("After a restart the calendar counts")
  func restarted() {
    let clock = ClockReading.morning
    #expect(remaining(.anHour, clock.restarted(after: .seconds(600))) == .seconds(3_000))
    #expect(remaining(.anHour, clock.restarted(after: Self.hour)) == nil)
    #expect(remaining(.anHour, clock.restarted(after: .seconds(90_000))) == nil)
  }

  @Test("After a restart, a grant from the future has expired")
  func future() {
    let clock = ClockReading.morning
    #expect(remaining(.anHour, clock.restarted(after: .seconds(-1), uptime: .zero)) == nil)
    // By the calendar, half an hour has passed since the grant. So this boot would have begun
    // before the grant.
    let impossible = clock.restarted(after: .seconds(1_800), uptime: .seconds(1_900))
    #expect(remaining(.anHour, impossible) == nil)
  }

  @Test("After a restart, no calendar makes a grant longer than its full time")
  func longUptime() {
    let late = ClockReading.morning.restarted(after: .seconds(3_599), uptime: .seconds(3_599))
    #expect(remaining(.anHour, late) == .seconds(1))
    let over = ClockReading(
      boottime: Self.hour, wall: ClockReading.morning.wall + .seconds(3_599), boot: "boot-b")
    #expect(remaining(.anHour, over) == nil)
  }

  @Test("An unused grant for one recording ends after ten minutes, or with the boot")
  func once() {
    let clock = ClockReading.morning
    #expect(remaining(.once, clock) == .seconds(600))
    #expect(remaining(.once, clock.later(.seconds(599))) == .seconds(1))
    #expect(remaining(.once, clock.later(.seconds(600))) == nil)
    #expect(remaining(.once, clock.restarted(after: .seconds(60))) == nil)
  }

  @Test("An unknown boot is never the same boot")
  func unknownBoot() {
    let blind = ClockReading(boottime: .seconds(3_600), wall: ClockReading.morning.wall, boot: nil)
    #expect(GrantLimit(Self.hour, from: blind) == nil)
    #expect(remaining(.once, blind) == nil)
    #expect(GrantTerm.once.consent(from: blind) == nil)
    #expect(GrantTerm.forever.consent(from: blind) == .forever)
  }

  @Test("A term lasts from ten seconds to thirty days")
  func terms() {
    let clock = ClockReading.morning
    for (seconds, possible) in [(9, false), (10, true), (2_592_000, true), (2_592_001, false)] {
      for term in [GrantTerm.lasting(.seconds(seconds)), .until(clock.wall + .seconds(seconds))] {
        #expect((term.consent(from: clock) != nil) == possible)
      }
    }
    #expect(GrantTerm.until(clock.wall + .seconds(-5)).consent(from: clock) == nil)
  }

  @Test("The decision shows the deadline on both clocks")
  func deadline() {
    let clock = ClockReading.morning.later(.seconds(600))
    let decision = Situation.alice(.of([.everyone: .anHour]), clock: clock).decide()
    #expect(decision.remaining == .seconds(3_000))
    #expect(decision.expiresAt == clock.wall + .seconds(3_000))
    #expect(decision.since == ClockReading.morning.wall)
  }

  @Test("A time that cannot be written becomes the nearest one that can")
  func strangeCalendars() {
    #expect(WallTime(seconds: .max).rfc3339 == "9999-12-31T23:59:59Z")
    #expect(WallTime(seconds: .min).rfc3339 == "1970-01-01T00:00:00Z")
    #expect((WallTime(seconds: 5) + .seconds(Int64.max)).rfc3339.hasPrefix("9999"))
    let fraction = WallTime(seconds: 5) + .milliseconds(1_999)
    #expect(fraction.seconds == 6 && fraction.wholeSeconds == WallTime(seconds: 6))
  }

  @Test("The end of a grant is the same time whenever it is shown")
  func steadyEnd() throws {
    let start = ClockReading.morning.later(.milliseconds(999))
    let record = Record(
      .timed(known(GrantLimit(.seconds(3_600), from: start))), at: start.wall, by: .command)
    for milliseconds in stride(from: 0, to: 5_000, by: 7) {
      let clock = start.later(.milliseconds(milliseconds))
      let end = Situation.alice(.of([.everyone: record]), clock: clock).decide().expiresAt
      #expect(end?.rfc3339 == "2026-03-01T10:00:01Z")
    }
    // The calendar clock is read a little earlier than the other clock.
    let skewed = ClockReading.morning.calendarMoved(by: .microseconds(-3))
    let end = Situation.alice(.of([.everyone: .anHour]), clock: skewed).decide().expiresAt
    #expect(end?.rfc3339 == "2026-03-01T10:00:00Z")
  }

  private func remaining(_ record: Record, _ clock: ClockReading) -> Duration? {
    guard case .valid(let remaining) = record.validity(clock) else { return nil }
    return remaining
  }
}
