import Audio
import Testing

@testable import Devices
@testable import PipeWire

@Suite("The clock of a graph")
struct GraphClockTests {
  /// The driver of the graph, by the cycle whose length is the time to the next wakeup.
  enum Driver: Int, CaseIterable, Sendable {
    case playback = -1
    case timer, capture
  }

  @Test(
    "continues while the length of the cycles changes, for each kind of driver",
    arguments: Driver.allCases)
  func lengths(driver: Driver) throws {
    let lengths = [2_048, 256, 8_192, 1_024, 64, 4_096].flatMap { Array(repeating: $0, count: 40) }
    var (cycles, clock) = (CycleSequence(), DeviceClock(rate: .hz48000))
    var wakeup = CycleClock(driver: 3, position: 0, nanoseconds: 9_000_000_000, rate: 48_000)
    var frames = 0
    for index in lengths.indices.dropFirst().dropLast() {
      let step = cycles.add(
        wakeup, length: lengths[index], isRecorder: driver == .capture)
      clock.observe(frames, at: .nanoseconds(Int64(step.time)))
      // The card has captured the first cycle at the first wakeup.
      let expected = 9 + Double(frames - (driver == .capture ? lengths[1] : 0)) / 48_000
      let time = try #require(clock.time(of: Double(frames)))
      #expect(abs(time - expected) < 1e-5, "cycle \(index)")
      frames += lengths[index]
      wakeup.position += UInt64(lengths[index])
      wakeup.nanoseconds += UInt64(lengths[index + driver.rawValue]) * 1_000_000_000 / 48_000
    }
    #expect(abs(clock.error) < 1e-6 && !clock.isIrregular)
  }
}
