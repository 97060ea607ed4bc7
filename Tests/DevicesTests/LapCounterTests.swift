import Audio
import Testing

@testable import Devices

@Suite("A device that overwrites its buffer while it is not read")
struct LapCounterTests {
  /// A counter of a stream whose position was 5,000 frames after 7 s.
  private static func begun() -> LapCounter {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7), ticked: .seconds(7)) == 0)
    return laps
  }

  /// The instant that is `milliseconds` after the first reading.
  private static func time(_ milliseconds: Int) -> Duration {
    .seconds(7) + .milliseconds(milliseconds)
  }

  @Test(
    "is missing as many whole buffers as the clock says",
    arguments: [
      // The milliseconds that passed, the frames that the kernel reports, and the frames that are
      // missing.
      (3, 144, 0), (22, 1_056, 0), (22, 24, 1_032), (22, 200, 1_032), (60, 2_880, 0),
      (60, 816, 2_064), (60, 1_848, 1_032), (64, 2_880, 0), (15, 0, 0), (22, 2_000, 0),
      (2_000, 96_000, 0), (2_000, 94_968, 1_032), (22_000, 264, 1_055_736),
      (3_600_000, 172_700_000, 0),
    ])
  func laps(milliseconds: Int, seen: Int, missing: Int) {
    var laps = Self.begun()
    for (later, missing) in [(0, missing), (2, 0)] {
      let (place, instant) = (FrameCount(5_000 + seen + 48 * later), milliseconds + later)
      // The last tick was 1 ms ago.
      let (now, tick) = (Self.time(instant), Self.time(instant - 1))
      #expect(laps.laps(at: place, now, ticked: tick) == Int64(missing / 1_032))
      #expect(laps.missing(at: place, now, ticked: tick) == FrameCount(missing))
    }
  }

  @Test(
    "must be read again if its position may be an old one",
    arguments: [
      // The milliseconds until the last tick and until this reading, and the frames that the kernel
      // reports.
      (0, 30, 0), (5, 22, 240), (20, 40, 960), (25, 45, 168), (65, 100, 2_088),
    ])
  func old(ticked: Int, milliseconds: Int, seen: Int) {
    var laps = Self.begun()
    let (now, tick) = (Self.time(milliseconds), Self.time(ticked))
    let place = FrameCount(5_000 + seen)
    #expect(laps.missing(at: place, now, ticked: tick) == nil)
    #expect(laps.laps(at: place, now, ticked: tick) == nil)
    // Directly after a tick, the position shows whether the device overwrote its buffer.
    let caughtUp = 5_000 + FrameCount(Int64(48 * milliseconds))
    var other = laps
    #expect(laps.missing(at: caughtUp, now, ticked: now) == 0)
    #expect(other.missing(at: caughtUp - 1_032, now, ticked: now) == 1_032)
  }

  @Test("is missing a buffer, even if it fell behind gradually while it was read")
  func creeping() {
    var laps = Self.begun()
    for milliseconds in stride(from: 3, through: 15, by: 3) {
      #expect(laps.missing(at: 5_000, Self.time(milliseconds), ticked: .seconds(7)) == 0)
    }
    // Its position did not change for 25 ms, which are 1,200 frames. Then it shows only the frames
    // beyond one buffer.
    #expect(laps.missing(at: 5_168, Self.time(25), ticked: Self.time(25)) == 1_032)
    #expect(laps.missing(at: 5_312, Self.time(28), ticked: Self.time(28)) == 0)
  }

  @Test("is missing each buffer, even if its position is always late")
  func alwaysLate() {
    var laps = Self.begun()
    for round in 1...50 {
      // Every 40 ms, the position is 10 ms old, and one buffer was overwritten unread.
      let place = FrameCount(5_000 + round * (1_920 - 1_032) - 480)
      let instant = Self.time(40 * round)
      #expect(laps.missing(at: place, instant, ticked: instant - .milliseconds(10)) == 1_032)
    }
  }

  @Test("starts counting only at a recent position")
  func first() {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 100, .seconds(7), ticked: .seconds(7) - .milliseconds(6)) == nil)
    #expect(laps.missing(at: 388, .seconds(7), ticked: .seconds(7) - .milliseconds(1)) == 0)
    #expect(laps.missing(at: 388, Self.time(22), ticked: Self.time(21)) == 1_032)
  }

  @Test("is missing nothing if its clock drifts for ten minutes", arguments: [9_990, 10_010])
  func drift(distance: Int) {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    for look in 0..<60_000 {
      let position = FrameCount(Int64(look * 480 * distance / 10_000))
      let instant = Duration.milliseconds(10 * look)
      #expect(laps.missing(at: position, instant, ticked: instant) == 0)
    }
  }

  @Test("is missing nothing from before its restart")
  func restart() {
    var laps = Self.begun()
    laps.restart()
    #expect(laps.missing(at: 5_000, .seconds(8), ticked: .seconds(8)) == 0)
    #expect(laps.missing(at: 5_100, .seconds(8) + .milliseconds(2), ticked: .seconds(8)) == 0)
  }

  @Test("is missing nothing if its time stamp is old")
  func stale() {
    var laps = Self.begun()
    #expect(laps.missing(at: 5_000, .seconds(7), ticked: .seconds(9)) == 0)
    #expect(laps.missing(at: 5_000, .seconds(7), ticked: .seconds(10)) == 0)
  }
}
