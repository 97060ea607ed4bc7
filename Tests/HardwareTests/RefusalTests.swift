import Audio
import Devices
import Foundation
import Support
import Testing

@Suite("A card", .requires("RECORDER_KERNEL_CARDS"), .serialized, .timeLimit(.minutes(1)))
struct RefusalTests {
  @Test(
    "refuses unsupported requests and reports its capabilities",
    arguments: [
      ("hw:CARD=Dummy", DeviceRequest(sample: .exactly(.int32)), "S32", "S16 U8"),
      ("hw:CARD=Dummy", DeviceRequest(rate: .exactly(.hz96000)), "96000 Hz", "5500–48000 Hz"),
      ("hw:CARD=Dummy", DeviceRequest(channels: .exactly(.eight)), "8 channels", "1–2 channels"),
      ("hw:CARD=HDA", DeviceRequest(sample: .exactly(.float32)), "FLOAT", "S16"),
      ("hw:CARD=HDA", DeviceRequest(rate: .exactly(.hz8000)), "8000 Hz", "16000–96000 Hz"),
      ("hw:CARD=HDA", DeviceRequest(channels: .exactly(.mono)), "mono", "2 channels"),
    ])
  func refusal(name: String, request: DeviceRequest, asked: String, able: String) throws {
    for direction in Direction.allCases {
      let error = try #require(refusal(of: name, request, direction))
      guard case .unable(let cause, let trait, let abilities) = error else {
        Issue.record("not refused as unable: \(error)")
        continue
      }
      #expect(cause.function.hasPrefix("snd_pcm_hw_params_set_"))
      #expect(cause.device == name)
      #expect(trait.description == asked)
      #expect(abilities.description.contains(able), "\(abilities)")
      print(error)
    }
  }

  @Test("takes the nearest values to the requested ones")
  func nearest() throws {
    let request = DeviceRequest(
      rate: .near(.hz8000), channels: .near(.mono), sample: .near(.int24))
    let source = try CaptureDevice("hw:CARD=HDA", request)
    let format = source.format
    #expect(format.channels == .stereo)
    #expect(format.rate.hertz == 16_000)
    #expect(format.sample == .int16 || format.sample == .int32)
  }

  @Test("in use is refused with the program that holds it")
  func busy() throws {
    let holding = try CaptureDevice("hw:CARD=HDA")
    let error = refusal(of: "hw:CARD=HDA", .init(), .capture)
    guard case .busy(let cause, let holders) = error else {
      Issue.record("not busy: \(String(describing: error))")
      return
    }
    #expect(cause.function == "snd_pcm_open")
    #expect(holders.map(\.process) == [getpid()])
    #expect(holders.allSatisfy { !$0.program.isEmpty })
    print(error?.description ?? "")
    let listed = DeviceList.all(.capture).first { $0.name == "hw:CARD=HDA,DEV=0" }
    #expect(listed?.holders == holders)
    _ = consume holding
    #expect(DeviceHolder.holders(of: "hw:CARD=HDA", .capture) == [])
  }

  @Test(
    "that is not there is missing", arguments: ["hw:9", "hw:CARD=Nowhere", "hw:CARD=Dummy,DEV=7"])
  func missing(name: String) {
    let error = refusal(of: name, .init(), .capture)
    guard case .missing(let cause) = error else {
      Issue.record("not missing: \(String(describing: error))")
      return
    }
    #expect(cause.device == name)
  }

  @Test("is listed under a stable name, with its driver, device and subdevices")
  func list() throws {
    let devices = DeviceList.all(.capture)
    let loopback = try #require(devices.first { $0.name == "hw:CARD=Loopback,DEV=1" })
    guard case .kernel(let card) = loopback.origin else {
      Issue.record("not a kernel device: \(loopback)")
      return
    }
    #expect(card.id == "Loopback")
    #expect(card.driver == "Loopback")
    #expect(card.device == 1)
    #expect(card.subdevices == 8)
    #expect(devices.contains { $0.name == "hw:CARD=Dummy,DEV=0" })
    #expect(Set(devices.map(\.name)).count == devices.count)
    for device in devices { print(device.name, "|", device.title) }
  }

  private func refusal(
    of name: String, _ request: DeviceRequest, _ direction: Direction
  ) -> DeviceError? {
    do throws(DeviceError) {
      switch direction {
      case .capture: _ = try CaptureDevice(name, request)
      case .playback: _ = try PlaybackDevice(name, request)
      }
      return nil
    } catch {
      return error
    }
  }
}

extension SampleRate {
  fileprivate static var hz8000: SampleRate { SampleRate(8_000) ?? .hz48000 }
  fileprivate static var hz96000: SampleRate { SampleRate(96_000) ?? .hz48000 }
}

extension ChannelCount {
  fileprivate static var eight: ChannelCount { ChannelCount(8) ?? .stereo }
}
