import Audio
import Support
import Synchronization
import Testing

@testable import Devices

@Suite("The capture of several tracks")
struct TrackCaptureTests {
  private let clock = StepClock()
  private let request = DeviceRequest(
    channels: .exactly(.mono), sample: .exactly(.int32), period: .milliseconds(100))

  private func capture(_ tracks: [Track], _ request: DeviceRequest) throws -> WaveCapture<StepClock>
  {
    try WaveCapture(tracks, request, clock: clock)
  }

  @Test("puts the channels of each track side by side, from frame 0 on")
  func groups() throws {
    var stereo = Track(device: "test:ramp")
    stereo.channels = 1..<3
    let tracks = [Track(device: "test:tone:440"), stereo, Track(device: "test:silence")]
    var source = try capture(tracks, request)
    #expect(source.format.channels.value == 4)
    #expect(source.setup.groups == [0..<1, 1..<3, 3..<4])
    source.start()
    clock.step(.milliseconds(10))
    var samples = [UInt32](repeating: 9, count: 480 * 4)
    var span = samples.mutableSpan
    var raw = span.mutableBytes
    let read = source.read(into: &raw)
    #expect(read.count == 480 && read.lost == 0)
    let tone = Tone(hertz: 440, rate: .hz48000)
    for frame in 0..<480 {
      let expected = [
        UInt32(truncatingIfNeeded: tone.sample(Int64(frame), .int32)), UInt32(frame), UInt32(frame),
        0,
      ]
      #expect(Array(samples[frame * 4..<frame * 4 + 4]) == expected, "frame \(frame)")
    }
  }

  @Test("opens again with the channels that each track had")
  func again() throws {
    let tracks = [Track(device: "test:tone"), Track(device: "test:ramp")]
    let first = try capture(tracks, request)
    let again = try capture(
      tracks.filling(first.setup.groups), DeviceRequest(exactly: first.format))
    #expect(again.format == first.format && again.setup.groups == first.setup.groups)
  }

  @Test("combines devices without a common clock")
  func combined() throws {
    let names = ["test:tone", "test:ramp@+150ppm", "test:silence", "test:ramp@-80ppm"]
    let source = try CaptureDevice(names.map { Track(device: $0) }, request)
    #expect(source.setup.groups == [0..<1, 1..<2, 2..<3, 3..<4])
    #expect(source.format.sample == .float32 && source.countsLostFrames)
    #expect(source.setup.device == "test:tone, test:ramp@+150ppm, test:silence, test:ramp@-80ppm")
    #expect(source.details().count == 4)
    let tracks = names.map { Track(device: $0) }.filling(source.setup.groups)
    let again = try CaptureDevice(tracks, DeviceRequest(exactly: source.format))
    #expect(again.format == source.format && again.setup.groups == source.setup.groups)
  }

  @Test("asks about cards when devices are opened again, but not for silenced tracks")
  func guarded() throws {
    let names = ["test:tone", "test:ramp@+150ppm"]
    var source = try CaptureDevice(names.map { Track(device: $0) }, request)
    let isAllowed = Mutex(true)
    source.guardCards { _ in isAllowed.withLock { $0 } }
    let setup = source.setup
    try source.start()
    source.close()
    isAllowed.withLock { $0 = false }
    var isBack = source.reopen { nil }
    #expect(!isBack)
    source.silence(TrackSet(index: 0))
    isBack = source.reopen { nil }
    #expect(isBack && source.setup == setup)
  }

  @Test("adds the channels of a card if fewer are wanted")
  func mixed() throws {
    let scratch = try ScratchDirectory()
    let sound = try scratch.write(String(repeating: "ABCD", count: 100_000), to: "sound")
    let tracks = ["test:ramp", FakeCard.microphone(sound)].map { Track(device: $0) }
    let source = try CaptureDevice(tracks, DeviceRequest(channels: .near(.mono)))
    #expect(source.setup.groups == [0..<1, 1..<2])
  }

  @Test(
    "is refused with the device that does not exist",
    arguments: [["default", "outptu"], ["test:tone", "outptu"]])
  func missing(devices: [String]) {
    let error = #expect(throws: DeviceError.self) {
      _ = try CaptureDevice(devices.map { Track(device: $0) })
    }
    guard case .missing(let cause) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.device == "outptu")
  }

  @Test("is refused if one of the built-in devices does not exist")
  func unknown() {
    let tracks = [Track(device: "test:tone"), Track(device: "test:nothing")]
    #expect(throws: DeviceError.unknownBuiltIn(name: "test:nothing", direction: .capture)) {
      _ = try CaptureDevice(tracks)
    }
  }

  @Test("of one track is that of its device")
  func single() throws {
    let source = try CaptureDevice([Track(name: "mic", device: "test:ramp")])
    #expect(source.setup.device == "test:ramp" && source.format.channels == .stereo)
  }
}
