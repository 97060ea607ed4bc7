import Linux
import Support
import Testing

@testable import Commands

@Suite("A moment in the past")
struct PastMomentTests {
  @Test(
    "is a duration ago",
    arguments: [
      ("3d", -259_200), ("90s", -90), ("1h30m", -5_400), ("0s", 0),
    ])
  func past(text: String, seconds: Int) throws {
    let now = WallTime(sinceEpoch: .seconds(1_767_323_045))
    let moment = try PastMoment(argument: text)
    #expect(moment.sinceEpoch(now: now) == now.sinceEpoch + .seconds(seconds))
  }

  @Test("is a date, which ends with its last second")
  func days() throws {
    let day = try PastMoment(argument: "2026-03-01")
    let begin = try #require(day.sinceEpoch(now: .now))
    #expect(WallTime(sinceEpoch: begin).local("%Y-%m-%d %H:%M:%S") == "2026-03-01 00:00:00")
    #expect(day.sinceEpoch(now: .now, isEnd: true) == begin + .seconds(86_400))
    #expect(try PastMoment(argument: "2026-02-31").sinceEpoch(now: .now) == nil)
    let time = try PastMoment(argument: "2026-03-01T18:05").sinceEpoch(now: .now)
    #expect(time == begin + .seconds(65_100))
  }

  @Test("is today or yesterday, which end with their last second")
  func daysByName() throws {
    let now = try #require(WallTime(local: "2026-03-02T00:10"))
    let midnight = try #require(WallTime(local: "2026-03-02T00:00")).sinceEpoch
    let (today, yesterday) = (
      try PastMoment(argument: "today"), try PastMoment(argument: "yesterday")
    )
    #expect(today.sinceEpoch(now: now) == midnight)
    #expect(today.sinceEpoch(now: now, isEnd: true) == midnight + .seconds(86_400))
    #expect(yesterday.sinceEpoch(now: now) == midnight - .seconds(86_400))
    #expect(yesterday.sinceEpoch(now: now, isEnd: true) == midnight)
  }

  @Test(
    "is not an ambiguous time", arguments: ["3", "tomorrow", "2026-3-1", "", "-3d"])
  func unclear(text: String) {
    #expect(throws: ValueError.self) { try PastMoment(argument: text) }
  }

  @Test(
    "is refused if its day or its time does not exist",
    arguments: [
      ("2026-02-31", "day"), ("24:00", "time"), ("23:60", "time"), ("2026-11-29T25:00", "time"),
    ])
  func absent(text: String, kind: String) {
    let failure = #expect(throws: Failure.self) {
      _ = try PastMoment.sinceEpoch(PastMoment(argument: text), of: "--since")
    }
    #expect(failure?.code == .usage)
    #expect(failure?.message.fact == "--since: that \(kind) does not exist")
  }

  @Test("is not a time that the clock skips, and is the first if the clock shows the time twice")
  func changedClock() async {
    await #expect(processExitsWith: .success) {
      setTimeZone("GMT0BST,M3.5.0/1,M10.5.0")
      let failure = #expect(throws: Failure.self) {
        _ = try PastMoment.sinceEpoch(PastMoment(argument: "2026-03-29T01:30"), of: "--since")
      }
      #expect(failure?.message.fact == "--since: that time does not exist")
      let twice = try PastMoment(argument: "2026-10-25T01:30").sinceEpoch(now: .now)
      #expect(twice == WallTime(rfc3339: "2026-10-25T00:30:00Z")?.sinceEpoch)
    }
  }
}
