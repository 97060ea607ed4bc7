import Audio
import Testing

@testable import Devices

@Suite("A device that goes round while nobody looks")
struct LapCounterTests {
  @Test(
    "is missing as many whole buffers as the clock says",
    arguments: [
      // Milliseconds that passed, frames that the kernel saw, frames that are missing.
      (3, 144, 0), (22, 1_056, 0), (22, 24, 1_032), (22, 300, 1_032), (60, 2_880, 0),
      (60, 816, 2_064), (60, 1_848, 1_032), (64, 2_880, 0), (20, 0, 0), (22_000, 0, 0),
      (2_000, 96_000, 0), (2_000, 94_968, 1_032), (22, 2_000, 0),
    ])
  func laps(milliseconds: Int, seen: Int, missing: Int) {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7)) == 0)
    let instant = Duration.seconds(7) + .milliseconds(milliseconds)
    let position = FrameCount(5_000 + seen)
    let first = laps.missing(at: position, instant)
    #expect(first == (missing == 0 ? 0 : nil))
    if missing == 0 { return }
    #expect(laps.missing(at: position, instant) == nil, "it has not moved")
    let later = laps.missing(at: position + 96, instant + .milliseconds(2))
    #expect(later == FrameCount(missing))
    #expect(laps.missing(at: position + 192, instant + .milliseconds(4)) == 0)
  }

  @Test("is missing nothing where it was only told of late")
  func late() {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7)) == 0)
    #expect(laps.missing(at: 5_000, .seconds(7) + .milliseconds(30)) == nil)
    #expect(laps.missing(at: 6_440, .seconds(7) + .milliseconds(30)) == 0)
  }

  @Test("is missing a buffer though it fell behind little by little while it was looked at")
  func creeping() {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7)) == 0)
    for milliseconds in stride(from: 3, through: 9, by: 3) {
      #expect(laps.missing(at: 5_000, .seconds(7) + .milliseconds(milliseconds)) == 0)
    }
    // Its place stood still for 25 ms, which are 1,200 frames, and then showed what is beyond a buffer.
    #expect(laps.missing(at: 5_168, .seconds(7) + .milliseconds(25)) == nil)
    #expect(laps.missing(at: 5_312, .seconds(7) + .milliseconds(28)) == 1_032)
    #expect(laps.missing(at: 5_456, .seconds(7) + .milliseconds(31)) == 0)
  }

  @Test("is missing nothing while it catches up with the clock")
  func catchingUp() {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7)) == 0)
    #expect(laps.missing(at: 5_000, .seconds(7) + .milliseconds(25)) == nil)
    #expect(laps.missing(at: 5_800, .seconds(7) + .milliseconds(26)) == 0)
    #expect(laps.missing(at: 6_344, .seconds(7) + .milliseconds(28)) == 0)
    #expect(laps.missing(at: 6_440, .seconds(7) + .milliseconds(30)) == 0)
  }

  @Test("is missing nothing by ten minutes of another clock", arguments: [9_990, 10_010])
  func drift(distance: Int) {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    for look in 0..<60_000 {
      let position = FrameCount(Int64(look * 480 * distance / 10_000))
      #expect(laps.missing(at: position, .milliseconds(10 * look)) == 0)
    }
  }

  @Test("is missing nothing from before it was started again")
  func restart() {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7)) == 0)
    laps.restart()
    #expect(laps.missing(at: 5_000, .seconds(8)) == 0)
    #expect(laps.missing(at: 5_100, .seconds(8) + .milliseconds(2)) == 0)
  }

  @Test("is missing nothing since a time that was old when it was asked for")
  func stale() {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7), asked: .seconds(9)) == 0)
    #expect(laps.missing(at: 5_048, .seconds(9), asked: .seconds(9)) == 0)
    #expect(laps.missing(at: 5_096, .seconds(9) + .milliseconds(1), asked: .seconds(9)) == 0)
  }
}
