import Audio
import Foundation
import Linux
import Support
import Testing

@testable import Devices

@Suite(
  "A paced card", .requires("RECORDER_PACED_CARD"), .serialized, .timeLimit(.minutes(10)))
struct PacedCardTests {
  private let name: String
  private let clock = KernelClock.monotonic

  init() {
    FakeCard.install()
    name = ProcessInfo.processInfo.environment["RECORDER_PACED_CARD"] ?? ""
  }

  /// Returns the frames that may be lost because the machine had no processor for the test.
  private func late(_ wait: ProcessorWait, _ rate: SampleRate) -> FrameCount {
    FrameCount(wait.longest, at: rate)
  }

  @Test("delivers the sound of its speaker only at the rate of the graph, as floats")
  func played() throws {
    let setup = try CaptureDevice("output").setup
    #expect(setup.format == StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32))
    let error = #expect(throws: DeviceError.self) {
      _ = try CaptureDevice("output:speaker", DeviceRequest(rate: .exactly(.hz44100)))
    }
    guard case .unable(_, .rate(.hz44100), let able) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(able.rates == 48_000...48_000 && able.formats == [.float32])
  }

  @Test("has no speaker of another name, and suggests the nearest one")
  func absent() {
    #expect(throws: DeviceError.noOutput(device: "output:speakr", near: ["speaker"])) {
      _ = try CaptureDevice("output:speakr")
    }
  }

  @Test("captures as many frames as the clock says")
  func capture() throws {
    var source = try CaptureDevice(name)
    try source.start()
    var buffer = [UInt8](repeating: 0, count: 48_000 * source.format.bytesPerFrame)
    var captured = 0
    var first: Duration?
    let wait = ProcessorWait()
    while true {
      try #require(try source.wait(upTo: .seconds(2), wake: -1) == .ready)
      var span = buffer.mutableSpan
      var bytes = span.mutableBytes
      captured += try source.read(into: &bytes).count
      // The server takes time to start, so counting begins with the first frames.
      guard let began = first else {
        first = clock.now
        captured = 0
        continue
      }
      if clock.now - began > .seconds(2) {
        let truth = FrameCount(clock.now - began, at: source.format.rate)
        let error = captured - Int(truth.value)
        let most = source.setup.period + late(wait, source.format.rate)
        #expect(abs(error) <= Int(most.value), "off by \(error) frames")
        return
      }
    }
  }

  @Test(
    "is combined with a device that has another clock",
    arguments: [["output", "test:tone@+150ppm"], ["test:tone@-80ppm", "default"]])
  func combined(devices: [String]) throws {
    let rate = try #require(SampleRate(devices[0] == "output" ? 48_000 : 8_000))
    var source = try CaptureDevice(
      devices.map { Track(device: $0) },
      DeviceRequest(rate: .near(rate), channels: .near(.mono)))
    #expect(source.format.rate == rate && source.setup.groups == [0..<1, 1..<2])
    try source.start()
    var buffer = [UInt8](repeating: 0, count: 48_000 * source.format.bytesPerFrame)
    var (count, silent) = (0, 0)
    let (began, wait) = (clock.now, ProcessorWait())
    while clock.now - began < .seconds(3) {
      _ = try source.wait(upTo: .milliseconds(20), wake: -1)
      var read = FramesRead(count: 0)
      repeat {
        var span = buffer.mutableSpan
        var bytes = span.mutableBytes
        read = try source.read(into: &bytes)
        count += read.count
        silent += read.silent == SilentTracks() ? 0 : read.count
      } while read.count > 0
    }
    let late = Int(late(wait, rate).value)
    #expect(count > rate.hertz * 5 / 2 - late && count < rate.hertz * 3 + late)
    #expect(silent <= late, "\(silent) frames are silent")
  }

  @Test("has a longer period and buffer if it can rewind, also when it is opened again")
  func stretch() throws {
    var request = DeviceRequest(period: .milliseconds(20), buffer: .milliseconds(40))
    request.stretch = 3
    let sink = try PlaybackDevice(name, request)
    #expect(sink.setup.period == 2_880 && sink.setup.buffer == 5_760)
    let again = try PlaybackDevice(name, request.exactly(sink.format))
    #expect(again.setup == sink.setup)
  }

  @Test("plays as many frames as the clock says")
  func playback() throws {
    let request = DeviceRequest(period: .milliseconds(20), buffer: .milliseconds(200))
    var sink = try PlaybackDevice(name, request)
    let silence = [UInt8](repeating: 0, count: 4_800 * sink.format.bytesPerFrame)
    #expect(try sink.write(silence.span.bytes) == 4_800)
    try sink.start()
    var written = 0
    var first: Duration?
    let wait = ProcessorWait()
    while true {
      try #require(try sink.wait(upTo: .seconds(2), wake: -1) == .ready)
      written += try sink.write(silence.span.bytes)
      guard let began = first else {
        if try sink.timing().available < sink.setup.period {
          first = clock.now
          written = 0
        }
        continue
      }
      if clock.now - began > .seconds(2) {
        let truth = FrameCount(clock.now - began, at: sink.format.rate)
        let error = written - Int(truth.value)
        // The server takes sound in blocks of its own, up to its quantum.
        let most = sink.setup.period + sink.setup.period + late(wait, sink.format.rate)
        #expect(abs(error) <= Int(most.value), "off by \(error) frames")
        return
      }
    }
  }

  @Test("stops waiting immediately on a wake")
  func wake() throws {
    let event = try Event()
    var source = try CaptureDevice(name, DeviceRequest(period: .seconds(1), buffer: .seconds(2)))
    try source.start()
    event.signal()
    let (began, wait) = (clock.now, ProcessorWait())
    #expect(try source.wait(upTo: .seconds(5), wake: event.descriptor.number) == .woken)
    #expect(clock.now - began < .milliseconds(200) + wait.longest)
  }

  @Test("reports its negotiated setup and its start time")
  func timing() throws {
    var source = try CaptureDevice(name)
    let setup = source.setup
    #expect(!setup.isKernelHardware)
    #expect(setup.buffer >= setup.period)
    let before = clock.now
    try source.start()
    _ = try source.wait(upTo: .seconds(2), wake: -1)
    let timing = try source.timing()
    #expect(timing.instant >= before && timing.instant <= clock.now)
    print("paced card: \(setup)")
  }
}
