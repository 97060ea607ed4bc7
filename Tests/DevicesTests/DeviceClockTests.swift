import Audio
import Glibc
import Support
import Testing

@testable import Devices

@Suite("The clock of a device")
struct DeviceClockTests {
  /// Observes a device that is off by `ppm`, from its start until `end`. The errors of the time
  /// stamps have this standard deviation.
  private func observe(
    _ clock: inout DeviceClock, ppm: Double, from begin: Double = 0, until end: Double,
    skipped: Double = 0, jitter: Double = 0, seed: UInt64 = 1
  ) {
    var random = SeededGenerator(seed: seed)
    var time = begin
    while time < end {
      time += time < 0.1 ? 0.005 : 0.1
      let frame = (48_000 * ((time - skipped) * (1 + ppm / 1e6))).rounded(.down)
      let exact = frame / 48_000 / (1 + ppm / 1e6) + skipped
      let error = (0..<12).map { _ in Double.random(in: -0.5...0.5, using: &random) }.reduce(0, +)
      clock.observe(Int(frame), at: .seconds(1_000 + exact + jitter * error))
    }
  }

  /// The rate of the device in ppm above the nominal rate.
  private func rate(_ clock: DeviceClock) -> Double { (1 / (1 + clock.error) - 1) * 1e6 }

  @Test(
    "finds the rate of a crystal within 1 ppm after 15 s",
    arguments: [-300.0, -20, 0, 200, 300])
  func rate(ppm: Double) {
    var clock = DeviceClock(rate: .hz48000)
    observe(&clock, ppm: ppm, until: 15)
    #expect(abs(rate(clock) - ppm) < 0.05)
  }

  @Test("averages time stamps that are not exact", arguments: 1...20)
  func jitter(seed: UInt64) throws {
    var clock = DeviceClock(rate: .hz48000)
    observe(&clock, ppm: 150, until: 60, jitter: 1e-4, seed: seed)
    #expect(abs(rate(clock) - 150) < 3)
    let time = try #require(clock.time(of: 60 * 48_000 * (1 + 150e-6)))
    #expect(abs(time - 1_060) < 1e-4)
  }

  @Test("knows the frame of each time and the time of each frame")
  func inverse() throws {
    var clock = DeviceClock(rate: .hz44100)
    #expect(clock.time(of: 0) == nil && clock.frame(at: 0) == nil)
    clock.observe(4_410, at: .seconds(7))
    #expect(clock.time(of: 0) == 6.9)
    clock.observe(44_100, at: .seconds(8) - .milliseconds(100))
    let time = try #require(clock.time(of: 12_345))
    #expect(abs(try #require(clock.frame(at: time)) - 12_345) < 1e-4)
  }

  @Test("is steady after the time stamps of 0.1 s")
  func steady() {
    var clock = DeviceClock(rate: .hz48000)
    observe(&clock, ppm: 0, until: 0.09)
    #expect(!clock.isSteady)
    observe(&clock, ppm: 0, from: 0.1, until: 0.2)
    #expect(clock.isSteady)
    clock.restart()
    #expect(!clock.isSteady)
  }

  /// Observes a device whose position moves in steps, with the time of the call, for 120 s.
  private func observe(_ clock: inout DeviceClock, steps: Int, every interval: Double) {
    var random = SeededGenerator(seed: 1)
    var time = 0.0
    while time < 120 {
      time += time < 0.2 ? 0.005 : interval
      let call = time + Double.random(in: 0...1e-4, using: &random)
      let frame = Int(48_000 * call * (1 + 150e-6)) / steps * steps
      if frame > 0 { clock.observe(frame, at: .seconds(1_000 + call)) }
    }
  }

  @Test("prefers the least late time stamps", arguments: [1_024, 2_048, 4_096])
  func steps(frames: Int) throws {
    var clock = DeviceClock(rate: .hz48000)
    observe(&clock, steps: frames, every: 0.1)
    #expect(abs(rate(clock) - 150) < 100 && !clock.isIrregular)
    let time = try #require(clock.time(of: 120 * 48_000 * (1 + 150e-6)))
    #expect((0...0.008).contains(time - 1_120))
  }

  @Test("is irregular if its steps have almost the rhythm of the calls", arguments: [1_024, 4_096])
  func rhythm(frames: Int) throws {
    var clock = DeviceClock(rate: .hz48000)
    observe(&clock, steps: frames, every: 0.49)
    #expect(clock.isIrregular && abs(clock.error) <= 2e-3)
  }

  @Test("ignores one wrong time stamp, and follows a skip after two")
  func skip() throws {
    var clock = DeviceClock(rate: .hz48000)
    observe(&clock, ppm: 100, until: 20)
    let (before, rate) = (try #require(clock.time(of: 960_000)), rate(clock))
    clock.observe(960_000 + 4_800, at: .seconds(1_021))
    #expect(clock.time(of: 960_000) == before)
    observe(&clock, ppm: 100, from: 21, until: 21.15, skipped: 0.5)
    let time = try #require(clock.time(of: 20.5 * 48_000 * (1 + 100e-6)))
    #expect(abs(time - 1_021) < 1e-4)
    #expect(abs(self.rate(clock) - rate) < 0.01)
  }
}
