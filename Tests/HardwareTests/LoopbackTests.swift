import Audio
import Devices
import Linux
import Support
import Testing

/// The error for frames that were lost or changed in the cable.
private struct Disturbance: Error, CustomStringConvertible {
  let frames: Int
  let lost: FrameCount

  var description: String { "after \(frames) frames \(lost.value) were lost, or some changed" }
}

@Suite(
  "What is played into a kernel driver", .requires("RECORDER_KERNEL_CARDS"), .serialized,
  .timeLimit(.minutes(5)))
struct LoopbackTests {
  @Test("is captured for a minute without a frame lost, repeated or changed")
  func minute() throws {
    var cable = try Loopback(cable: 0, DeviceRequest())
    try cable.start()
    try carry(60, on: &cable)
  }

  @Test(
    "is captured bit by bit in many formats",
    arguments: [
      (SampleFormat.int16, 8_000, 1), (.int24, 44_100, 2), (.int24Packed, 48_000, 2),
      (.int32, 96_000, 8), (.float32, 192_000, 2), (.int16, 48_000, 32),
    ])
  func formats(sample: SampleFormat, hertz: Int, channels: Int) throws {
    let format = try stream(sample, hertz, channels)
    var cable = try Loopback(cable: 1, DeviceRequest(exactly: format))
    let (captured, played) = (cable.source.format, cable.sink.format)
    #expect(captured == format)
    #expect(played == format)
    try cable.start()
    try carry(2, on: &cable)
  }

  @Test("is negotiated as asked in every format that the driver has")
  func negotiation() throws {
    for sample in [SampleFormat.int16, .int24Packed, .int24, .int32, .float32] {
      for hertz in [8_000, 11_025, 44_100, 48_000, 96_000, 192_000] {
        for channels in [1, 2, 5, 8, 32] {
          let format = try stream(sample, hertz, channels)
          let source = try CaptureDevice(
            "hw:CARD=Loopback,DEV=1,SUBDEV=2", DeviceRequest(exactly: format))
          let setup = source.setup
          #expect(setup.format == format)
          #expect(setup.isKernelHardware)
          #expect(setup.period.value * 2 <= setup.buffer.value)
          #expect(setup.buffer <= FrameCount(.seconds(2), at: format.rate))
        }
      }
    }
  }

  @Test("and not read in time is lost, and counted to the frame", arguments: ["hw", "plughw"])
  func overrun(plugin: String) throws {
    let request = DeviceRequest(period: .milliseconds(100), buffer: .seconds(1))
    var cable = try Loopback(cable: 3, request, through: plugin)
    let counts = cable.source.countsLostFrames
    #expect(counts)
    try cable.start()
    try carry(2, on: &cable)
    try playUnheard(.seconds(3), on: &cable)
    let available = try cable.source.timing().available
    let excess = available - cable.source.capacity
    #expect(excess > 0)
    let after = try cable.listen()
    print("\(plugin): \(available.value) available, \(excess.value) too many, lost \(after.lost)")
    #expect(after.lost >= excess)
    #expect(!after.differs, "the gap was not \(after.lost.value) frames long")
    #expect(after.matching > 0)
    try carry(2, on: &cable)
  }

  private func playUnheard(_ time: Duration, on cable: inout Loopback) throws {
    let end = KernelClock.monotonic.now + time
    while KernelClock.monotonic.now < end {
      _ = try cable.sink.wait(upTo: .milliseconds(500), wake: -1)
      try cable.play()
    }
  }

  /// Carries sound for a number of seconds, and throws if a frame is lost or changed. Cancels the
  /// test if the machine was so late before the fault that a buffer may have had an overrun or
  /// underrun.
  private func carry(_ seconds: Int, on cable: inout Loopback) throws {
    let frames = seconds * cable.source.format.rate.hertz
    let slack = cable.source.setup.buffer.duration(at: cable.source.format.rate) / 2
    let clock = KernelClock.monotonic
    var matching = 0
    var turns = [clock.now, clock.now]
    while matching < frames {
      do {
        let progress = try cable.listen()
        guard !progress.differs, progress.lost == 0 else {
          throw Disturbance(frames: matching, lost: progress.lost)
        }
        matching += progress.matching
        try cable.play()
      } catch {
        // A delay between reading and writing shows one round later.
        let delay = max(turns[1] - turns[0], clock.now - turns[1])
        if delay > slack { try Test.cancel("\(error), but the machine was late by \(delay)") }
        throw error
      }
      turns = [turns[1], clock.now]
    }
  }

  private func stream(
    _ sample: SampleFormat, _ hertz: Int, _ channels: Int
  ) throws -> StreamFormat {
    StreamFormat(
      rate: try #require(SampleRate(hertz)), channels: try #require(ChannelCount(channels)),
      sample: sample)
  }
}
