import Audio
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

  @Test(
    "is refused for devices without a common clock",
    arguments: [["test:tone", "hw:0"], ["test:tone", "output"], ["default", "hw:0"]])
  func unrelated(devices: [String]) {
    #expect(throws: DeviceError.unrelated(devices)) {
      _ = try CaptureDevice(devices.map { Track(device: $0) })
    }
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
