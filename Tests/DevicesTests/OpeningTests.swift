import Audio
import Foundation
import Support
import Testing

@testable import Devices

@Suite("Opening a device")
struct OpeningTests {
  init() { FakeCard.install() }

  @Test("that does not exist fails with the function and the name", arguments: Direction.allCases)
  func missing(direction: Direction) {
    let error = #expect(throws: DeviceError.self) {
      switch direction {
      case .capture: _ = try CaptureDevice("no-such-device")
      case .playback: _ = try PlaybackDevice("no-such-device")
      }
    }
    let cause = StreamError("snd_pcm_open", "no-such-device", code: -ENOENT)
    #expect(error == .missing(cause))
  }

  @Test("that does not support the request reports its capabilities")
  func unable() throws {
    let rate = try #require(SampleRate(96_000))
    let request = DeviceRequest(rate: .exactly(rate))
    let error = #expect(throws: DeviceError.self) { _ = try CaptureDevice("fake_narrow", request) }
    guard case .unable(let cause, let asked, let able) = try #require(error) else {
      Issue.record("not refused as unable but \(String(describing: error))")
      return
    }
    #expect(cause.function == "snd_pcm_hw_params_set_rate")
    #expect(asked == .rate(rate))
    #expect(able.rates == 44_100...44_100)
    #expect(able.channels == 1...1)
    #expect(able.formats == [.int32])
  }

  @Test("takes the nearest value for each request that need not be exact")
  func nearest() throws {
    let source = try CaptureDevice("fake_narrow")
    let expected = StreamFormat(rate: .hz44100, channels: .mono, sample: .int32)
    #expect(source.format == expected)
    #expect(source.setup.period == 4_410)
    #expect(source.setup.buffer == 88_200)
    let setup = source.setup
    let countsLostFrames = source.countsLostFrames
    #expect(!setup.isKernelHardware)
    #expect(!countsLostFrames)
  }

  @Test("converts nothing without the caller's request, not even through plug")
  func plug() throws {
    let source = try CaptureDevice("plug:fake_narrow")
    let expected = StreamFormat(rate: .hz44100, channels: .mono, sample: .int32)
    #expect(source.format == expected)
  }

  @Test("grants a requested buffer and its period")
  func buffer() throws {
    let request = DeviceRequest(period: .milliseconds(20), buffer: .milliseconds(200))
    let source = try CaptureDevice("null", request)
    #expect(source.setup.period == 960)
    #expect(source.setup.buffer == 9_600)
  }

  @Test("keeps the requested period and buffer if the device cannot rewind")
  func stretch() throws {
    var request = DeviceRequest(period: .milliseconds(20), buffer: .milliseconds(200))
    request.stretch = 2
    for name in ["null", "test:null"] {
      let sink = try PlaybackDevice(name, request)
      #expect(sink.setup.period == 960 && sink.setup.buffer == 9_600, "\(name)")
    }
  }

  @Test("can read the capabilities without opening a stream")
  func capabilities() throws {
    let able = try Capabilities(of: "fake_narrow", .capture)
    #expect(able.description == "44100 Hz, 1 channel, S32")
    #expect(able.commonRates == [.hz44100])
  }

  @Test(
    "is kernel hardware, or PipeWire, where nothing but a transparent plug is above it",
    arguments: [
      ("Hardware PCM card 0 'Loopback' device 0 subdevice 0\n", .kernelHardware),
      ("Plug PCM: Hardware PCM card 0 'Loopback' device 0 subdevice 0\n", .kernelHardware),
      ("Plug PCM: Rate conversion PCM (16000, sformat=S16_LE)\nSlave: Hardware PCM card 0", .other),
      ("ALSA <-> PipeWire PCM I/O Plugin\n", .pipeWire),
      ("Plug PCM: ALSA <-> PipeWire PCM I/O Plugin\n", .pipeWire),
      ("Plug PCM: Rate conversion PCM (48000, sformat=S16_LE)\nSlave: ALSA <-> PipeWire", .other),
      ("ALSA <-> PulseAudio PCM I/O Plugin\n", .other),
      ("Direct Snoop PCM\n", .other), ("Plug PCM: ", .other), ("", .other),
    ] as [(String, PCMHandle.Base)])
  func base(description: String, expected: PCMHandle.Base) {
    #expect(PCMHandle.Base(described: description) == expected)
  }
}

@Suite("The list of devices")
struct DeviceListTests {
  init() { FakeCard.install() }

  @Test(
    "ends with the built-in devices by names that open them, and needs no card",
    arguments: [
      (Direction.capture, ["test:tone", "test:silence", "test:ramp"]), (.playback, ["test:null"]),
    ])
  func builtIn(direction: Direction, names: [String]) {
    let devices = DeviceList.all(direction)
    #expect(devices.filter { $0.origin == .builtIn }.map(\.name) == names)
    #expect(Set(devices.map(\.name)).count == devices.count)
    #expect(devices.allSatisfy { $0.direction == direction && !$0.title.contains("\n") })
  }
}
