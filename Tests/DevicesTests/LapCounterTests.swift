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
    #expect(laps.missing(at: FrameCount(5_000 + seen), instant) == FrameCount(missing))
  }

  @Test("is missing nothing from before it was started again")
  func restart() {
    var laps = LapCounter(rate: .hz48000, buffer: 1_032)
    #expect(laps.missing(at: 5_000, .seconds(7)) == 0)
    laps.restart()
    #expect(laps.missing(at: 5_000, .seconds(8)) == 0)
    #expect(laps.missing(at: 5_100, .seconds(8) + .milliseconds(2)) == 0)
  }
}
