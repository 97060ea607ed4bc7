import Foundation
import Permission
import Testing

struct LimitTests {
  static let hour = Duration.seconds(3_600)

  @Test("Within a boot only the boot's own time counts, whatever the calendar is set to")
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

  @Test("After a restart a grant from the future is over")
  func future() {
    let clock = ClockReading.morning
    #expect(remaining(.anHour, clock.restarted(after: .seconds(-1), uptime: .zero)) == nil)
    // The calendar says half an hour after the grant, and that this boot began before it.
    let impossible = clock.restarted(after: .seconds(1_800), uptime: .seconds(1_900))
    #expect(remaining(.anHour, impossible) == nil)
  }

  @Test("After a restart no calendar makes it longer than the whole")
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

  @Test("A boot that nobody knows is never the same boot")
  func unknownBoot() {
    let blind = ClockReading(boottime: .seconds(3_600), wall: ClockReading.morning.wall, boot: nil)
    #expect(Limit(Self.hour, from: blind) == nil)
    #expect(remaining(.once, blind) == nil)
    #expect(Term.once.consent(from: blind) == nil)
    #expect(Term.forever.consent(from: blind) == .forever)
  }

  @Test("A term lasts from ten seconds to thirty days")
  func terms() {
    let clock = ClockReading.morning
    for (seconds, possible) in [(9, false), (10, true), (2_592_000, true), (2_592_001, false)] {
      #expect(Term.lasting(.seconds(seconds)).isPossible(from: clock) == possible)
      #expect(Term.until(clock.wall + .seconds(seconds)).isPossible(from: clock) == possible)
      #expect((Term.lasting(.seconds(seconds)).consent(from: clock) != nil) == possible)
    }
    #expect(!Term.until(clock.wall + .seconds(-5)).isPossible(from: clock))
  }

  @Test("The decision shows the deadline on both clocks")
  func deadline() {
    let clock = ClockReading.morning.later(.seconds(600))
    let decision = Situation.alice(.of([.everyone: .anHour]), clock: clock).decide()
    #expect(decision.remaining == .seconds(3_000))
    #expect(decision.expiresAt == clock.wall + .seconds(3_000))
    #expect(decision.since == ClockReading.morning.wall)
  }

  @Test(
    "A moment is written in one way and read back",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
      (951_782_400, "2000-02-29T00:00:00Z"), (1_709_251_199, "2024-02-29T23:59:59Z"),
      (-1, "1969-12-31T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
      (-62_167_219_200, "0000-01-01T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] as [(Int64, String)])
  func wallTimes(seconds: Int64, text: String) {
    #expect(WallTime(seconds: seconds).description == text)
    #expect(WallTime(text)?.seconds == seconds)
  }

  @Test("A moment agrees with another calendar")
  func wallTimesAgree() {
    let formatter = ISO8601DateFormatter()
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      // Foundation changes to the Julian calendar before 1582; nothing here is older.
      let seconds = Int64.random(in: -12_000_000_000...253_402_300_799, using: &generator)
      let date = Date(timeIntervalSince1970: TimeInterval(seconds))
      #expect(WallTime(seconds: seconds).description == formatter.string(from: date))
    }
  }

  @Test("Anything else is no moment")
  func noWallTimes() {
    for text in [
      "", "2026-03-01", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-03-01T24:00:00Z",
      "2026-03-01T00:00:60Z", "2026-03-01T00:00:00+", "2026-03-01 00:00:00Z",
      "2026-3-001T00:00:00Z",
      "-026-03-01T00:00:00Z", "2026-03-01T00:00:00ZZ", "２026-03-01T00:00Z",
    ] {
      #expect(WallTime(text) == nil)
    }
  }

  private func remaining(_ record: Record, _ clock: ClockReading) -> Duration? {
    guard case .valid(let remaining) = record.validity(clock, for: nil) else { return nil }
    return remaining
  }
}

/// Random numbers that come again with the same seed (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
