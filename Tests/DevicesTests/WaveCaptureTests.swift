import Audio
import Testing

@testable import Devices

@Suite("A built-in capture device")
struct WaveCaptureTests {
  private let clock = StepClock()
  private let mono = DeviceRequest(
    channels: .exactly(.mono), sample: .exactly(.int32), period: .milliseconds(100))

  /// Reads up to `room` frames of a mono S32 stream as numbers.
  private func read(
    _ source: inout WaveCapture<StepClock>, room: Int
  ) -> (numbers: [UInt32], lost: FrameCount) {
    var numbers = [UInt32](repeating: 0, count: room)
    var span = numbers.mutableSpan
    var raw = span.mutableBytes
    let read = source.read(into: &raw)
    return (Array(numbers[..<read.count]), read.lost)
  }

  @Test("grants every request and reports it")
  func setup() throws {
    let request = DeviceRequest(
      rate: .exactly(.hz44100), channels: .exactly(.mono), sample: .exactly(.float64))
    let source = try WaveCapture(.ramp, named: "test:ramp", request, clock: clock)
    #expect(
      source.format == StreamFormat(rate: .hz44100, channels: .mono, sample: .float64))
    #expect(source.setup.period == 4_410)
    #expect(source.capacity == 22_050)
    #expect(source.countsLostFrames)
  }

  @Test("delivers the frames of the elapsed time, rounded down, and numbers them from its start")
  func pace() throws {
    var source = try WaveCapture(.ramp, named: "test:ramp", mono, clock: clock)
    clock.step(.seconds(5))
    source.start()
    #expect(read(&source, room: 10).numbers.isEmpty)
    clock.step(.nanoseconds(20_833))
    #expect(source.timing().available == 0)
    clock.step(.nanoseconds(1))
    #expect(read(&source, room: 10).numbers == [0])
    clock.step(.milliseconds(1))
    #expect(read(&source, room: 40).numbers == Array(1...40))
    #expect(read(&source, room: 40).numbers == Array(41...48))
  }

  @Test(
    "delivers frames at a rate that differs by the error of its clock",
    arguments: [(200, 480_096), (-1_000, 479_520), (0, 480_000)])
  func clockError(ppm: Int, frames: Int) throws {
    var source = try WaveCapture(
      .ramp, clockError: ppm, named: "test:ramp", mono, clock: clock)
    source.start()
    let began = clock.monotonic
    clock.step(.seconds(10))
    #expect(source.timing().available == FrameCount(frames))
    clock.step(.milliseconds(7))
    let timing = source.timing()
    let length = Duration.seconds(1) / (48_000 * (1 + Double(ppm) / 1e6))
    let last = began + length * Double(timing.available.value)
    #expect(abs((timing.instant - last) / .nanoseconds(1)) <= 2)
    _ = read(&source, room: 500_000)
    #expect(source.wait(upTo: .seconds(1), wake: -1) == .ready)
    #expect(source.timing().available == 4_800)
  }

  @Test("drops frames that are not read within half a second, and counts them exactly")
  func overrun() throws {
    var source = try WaveCapture(.ramp, named: "test:ramp", mono, clock: clock)
    source.start()
    clock.step(.milliseconds(500))
    #expect(source.timing().available == source.capacity)
    let whole = read(&source, room: 10)
    #expect(whole.numbers == Array(0..<10))
    #expect(whole.lost == 0)
    clock.step(.seconds(3))
    #expect(source.timing().available == FrameCount(24_000 - 10 + 3 * 48_000))
    let late = read(&source, room: 2)
    #expect(late.lost == FrameCount(24_000 - 10 + 3 * 48_000 - 24_000))
    #expect(late.numbers == [144_000, 144_001])
    #expect(source.timing().available == 23_998)
  }

  @Test("is ready after exactly one period")
  func wait() throws {
    var source = try WaveCapture(.ramp, named: "test:ramp", mono, clock: clock)
    source.start()
    let began = clock.monotonic
    #expect(source.wait(upTo: .milliseconds(40), wake: -1) == .timedOut)
    #expect(clock.monotonic - began == .milliseconds(40))
    #expect(source.wait(upTo: .seconds(1), wake: -1) == .ready)
    #expect(clock.monotonic - began == .milliseconds(100) + .nanoseconds(1))
    #expect(read(&source, room: 5_000).numbers.count == 4_800)
  }

  @Test("stops waiting immediately on a wake")
  func wake() throws {
    var source = try WaveCapture(.silence, named: "test:silence", mono, clock: clock)
    source.start()
    let began = clock.monotonic
    clock.wake()
    #expect(source.wait(upTo: .seconds(1), wake: 3) == .woken)
    #expect(clock.monotonic == began)
  }

  @Test("keeps exact time for ten days at an awkward rate")
  func longRun() throws {
    let rate = try #require(SampleRate(44_100))
    let request = DeviceRequest(rate: .exactly(rate), channels: .exactly(.mono))
    var source = try WaveCapture(.silence, named: "test:silence", request, clock: clock)
    source.start()
    clock.step(.seconds(864_000) + .nanoseconds(22_676))
    #expect(source.timing().available == FrameCount(Int64(864_000) * 44_100 + 1))
  }

  @Test("of silence delivers zeros")
  func silence() throws {
    var source = try WaveCapture(.silence, named: "test:silence", mono, clock: clock)
    source.start()
    clock.step(.milliseconds(10))
    #expect(read(&source, room: 480).numbers == [UInt32](repeating: 0, count: 480))
  }
}
