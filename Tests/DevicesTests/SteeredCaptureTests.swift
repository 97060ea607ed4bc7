import Audio
import Support
import Testing

@testable import Devices

@Suite("A capture of devices without a common clock")
struct SteeredCaptureTests {
  private let second = TrackSet(index: 1)

  @Test("keeps all tracks within 1 ms for an hour")
  func hour() throws {
    let bench = try SteeringBench([(.ramp, 30), (.ramp, 200), (.ramp, -200)], 100)
    for minute in 0..<60 {
      try bench.run(.seconds(60))
      for track in 1...2 {
        #expect(bench.offset(of: track) < 1e-3, "minute \(minute)")
      }
      bench.forget()
    }
    #expect(bench.blocks.count == 1 && bench.blocks[0].silent.isEmpty)
    #expect(!bench.isBeyondRange(1) && !bench.isBeyondRange(2))
  }

  @Test(
    "has both tracks within 1 ms at the start, and closer after that",
    arguments: sampled([300, -300], 1))
  func start(ppm: Int) throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, ppm)])
    try bench.run(.seconds(3))
    #expect(bench.offset(of: 1) < 1e-3)
    #expect(bench.count > 2_000 * 27 / 10)
    try bench.run(.seconds(20))
    bench.forget()
    try bench.run(.seconds(2))
    #expect(bench.offset(of: 1) < 2e-5)
  }

  @Test("delivers a tone without side bands from second 15 on", arguments: sampled([200, -200], 1))
  func tone(ppm: Int) throws {
    let bench = try SteeringBench([(.ramp, 0), (.tone(hertz: 1_000), ppm)], 8_000)
    try bench.run(.seconds(15))
    bench.forget()
    try bench.run(.seconds(5))
    let rest = Spectrum(bench.samples(1)[..<32_768], beta: 24).rest(outside: 12)
    #expect(rest < -100)
  }

  @Test(
    "converts the rate of a device that has another one", arguments: sampled([2_700, 1_500], 1))
  func rates(other: Int) throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)], other: other)
    try bench.run(.seconds(5))
    #expect(bench.offset(of: 1) < 1e-3 && bench.silent(TrackSet()) == bench.count)
  }

  @Test("follows devices that are read rarely", arguments: sampled([490, 333], 1))
  func rests(milliseconds: Int) throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(1))
    try bench.run(.seconds(20), every: .milliseconds(milliseconds))
    #expect(bench.offset(of: 1) < 1e-3 && bench.silent(TrackSet()) == bench.count)
  }

  @Test("has silence for the frames that the devices lost, and keeps the alignment")
  func overrun() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    bench.clock.step(.milliseconds(1_200))
    try bench.run(.seconds(2))
    #expect(bench.offset(of: 1) < 1e-3)
    let all = TrackSet([0, 1])
    #expect(abs(bench.silent(all) - 1_400) < 30)
    #expect(bench.missing.isEmpty && bench.lost == 0 && bench.count > 2_000 * 48 / 10)
  }

  @Test("reports a long loss of the first device without its silence", arguments: [3, 600])
  func longOverrun(seconds: Int) throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    let count = bench.count
    bench.clock.step(.seconds(seconds))
    try bench.run(.milliseconds(300))
    #expect(abs(Int(bench.lost.value) - (seconds * 2_000 - 1_000)) < 10)
    #expect(bench.count - count < 2_000)
    bench.forget()
    try bench.run(.seconds(2))
    #expect(bench.offset(of: 1) < 1e-3 && bench.blocks.last?.silent.isEmpty == true)
    #expect(bench.missing.isEmpty && bench.silent(second) < 300)
  }

  @Test("reads a device with a small buffer while it waits for the first one")
  func smallBuffer() throws {
    let bench = try SteeringBench(
      [(.ramp, 0), (.ramp, 150)], period: .milliseconds(250), buffer: .milliseconds(100))
    try bench.run(.seconds(10))
    #expect(bench.offset(of: 1) < 1e-3 && bench.silent(TrackSet()) == bench.count)
  }

  @Test(
    "is exact if the position of a device moves in steps whose time is known",
    arguments: [FaultySource.Steps.Stamp.exact, .delayed, .both], sampled([43, 86, 200], 2))
  func steps(stamp: FaultySource.Steps.Stamp, frames: Int) throws {
    let bench = try SteeringBench(
      [(.ramp, 0), (.ramp, 150)], steps: FaultySource.Steps(frames: frames, stamp: stamp))
    try bench.run(.seconds(20))
    #expect(bench.offset(of: 1) < 1e-3 && bench.silent(TrackSet()) == bench.count)
  }

  @Test(
    "follows a device whose time stamps are late by up to 20 ms", arguments: sampled([150, -80], 1))
  func lateSteps(ppm: Int) throws {
    let bench = try SteeringBench(
      [(.ramp, 0), (.ramp, ppm)], steps: FaultySource.Steps(frames: 41, stamp: .late))
    try bench.run(.seconds(10))
    let silent = bench.silent(second)
    bench.forget()
    try bench.run(.seconds(60))
    #expect(bench.offset(of: 1) < 8e-3)
    #expect(bench.silent(second) - silent < 100)
    #expect(!bench.isBeyondRange(1) && bench.missing.isEmpty)
  }

  @Test("realigns a device that was stopped", arguments: [StreamCondition.xrun, .suspended])
  func stopped(condition: StreamCondition) throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    bench.forget()
    bench.controls[1].fault.withLock { $0 = condition }
    try bench.run(.milliseconds(500))
    bench.forget()
    try bench.run(.seconds(2))
    #expect(bench.offset(of: 1) < 1e-3)
    #expect((1...1_000).contains(bench.silent(second)) && bench.missing.isEmpty)
  }

  @Test("states how many frames may wait for a device that delivers nothing")
  func waiting() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    bench.controls[1].isStuck.withLock { $0 = true }
    var most: FrameCount = 0
    for _ in 0..<10 {
      try bench.run(.milliseconds(50), every: .milliseconds(50))
      let timing = try bench.capture.timing()
      most = max(most, timing.available)
    }
    #expect(most > bench.capture.period + bench.capture.period && most <= bench.capture.mostUnread)
  }

  @Test("begins without a device that delivers nothing")
  func late() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 0)])
    bench.controls[1].isStuck.withLock { $0 = true }
    try bench.run(.milliseconds(1_900))
    #expect(bench.count == 0)
    try bench.run(.seconds(1))
    #expect(bench.silent(second) == bench.count && bench.count > 1_000)
  }

  @Test(
    "skips again and again if a clock is wrong by more than the range",
    arguments: sampled([1_000, -1_000], 1))
  func range(ppm: Int) throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, ppm)])
    try bench.run(.seconds(60))
    #expect(bench.offset(of: 1) < 6e-3)
    #expect((50...250).contains(bench.silent(second)))
    #expect(bench.isBeyondRange(1) && bench.missing.isEmpty)
  }

  @Test(
    "reports a device whose time stamps are too irregular, but not steps with known times",
    arguments: [(FaultySource.Steps.Stamp.late, true), (.exact, false)])
  func irregular(stamp: FaultySource.Steps.Stamp, isReported: Bool) throws {
    // A read comes every 4.7 steps. So in some seconds all time stamps are more than 20 ms late.
    let bench = try SteeringBench(
      [(.ramp, 0), (.ramp, 150)], steps: FaultySource.Steps(frames: 171, stamp: stamp))
    try bench.run(.seconds(1))
    try bench.run(.seconds(40), every: .milliseconds(400))
    #expect(bench.isBeyondRange(1) == isReported && bench.missing.isEmpty)
  }

  @Test("reports a failure of the first device, and continues after its recovery")
  func first() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 150)])
    try bench.run(.seconds(2))
    bench.controls[0].fault.withLock { $0 = .xrun }
    #expect(throws: FaultySource.Fault.self) { try bench.run(.seconds(1)) }
    bench.clock.step(.milliseconds(700))
    #expect(try bench.capture.recover())
    try bench.run(.seconds(1))
    bench.forget()
    try bench.run(.seconds(1))
    #expect(bench.offset(of: 1) < 1e-3 && bench.count > 1_750)
  }

  @Test("delivers the frames that wait for another device before the first one is restarted")
  func waitingFrames() throws {
    let bench = try SteeringBench([(.ramp, 0), (.ramp, 0)])
    try bench.run(.seconds(2))
    bench.controls[1].isStuck.withLock { $0 = true }
    let count = bench.count
    try bench.run(.milliseconds(200))
    #expect(bench.count - count < 20)
    bench.controls[0].fault.withLock { $0 = .xrun }
    #expect(throws: FaultySource.Fault.self) { try bench.run(.seconds(1)) }
    #expect(try bench.capture.recover())
    try bench.readAll()
    #expect(bench.count - count > 380)
    #expect(try bench.capture.timing().available == 0)
  }
}
