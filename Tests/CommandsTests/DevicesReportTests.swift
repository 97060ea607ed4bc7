import Audio
@testable import Commands
@testable import Devices
import JSON
import Linux
import Permission
import Testing

@Suite("The list of devices")
struct DevicesReportTests {
  private static let card = ListedDevice(
    description: DeviceDescription(
      name: "hw:CARD=PCH,DEV=0", title: "HDA Intel PCH, ALC257 \u{1B}[31mAnalog",
      direction: .capture, origin: .configured,
      holders: [DeviceHolder(process: 4711, program: "arecord")]),
    capabilities: Capabilities(
      rates: 44_100...192_000, commonRates: [], channels: 2...2, formats: [.int16, .int32],
      otherFormats: []))

  private static var standard: ListedDevice {
    ListedDevice(
      description: DeviceDescription(
        name: "default", title: "Default Audio Device", direction: .capture, origin: .configured,
        holders: []),
      error: .missing(StreamError("snd_pcm_open", "default", code: -Errno.noSuchFile.rawValue)),
      isDefault: true)
  }

  private func report(_ devices: ListedDevice...) -> DevicesReport {
    DevicesReport(sections: [DeviceSection(direction: .capture, devices: devices)])
  }

  @Test("A device has its name, its description, its capabilities and its holder")
  func device() {
    let expected = """
      Recording
        hw:CARD=PCH,DEV=0
            HDA Intel PCH, ALC257 \\x1B[31mAnalog
            44100 to 192000 Hz; stereo; S16 S32
            in use by arecord (process 4711)

      """
    #expect(report(Self.card).text(.plain).hasPrefix(expected))
  }

  @Test("The sound of a program is listed with the name for --device, and is not opened")
  func program() {
    let device = ListedDevice(
      asking: DeviceDescription(
        name: "app:Player", title: "sound of this program", direction: .capture, origin: .program,
        holders: []), nil)
    #expect(report(device).text(.plain).contains("  app:Player\n      sound of this program\n"))
    let listed = report(device).json["devices"]?[0]
    #expect(
      listed?["origin"] == "program" && listed?["opened"] == false && listed?["node"] == .null)
  }

  @Test("The default device is marked, and the error of its opening is shown")
  func unusable() {
    let text = report(Self.standard).text(.plain)
    #expect(text.contains("  default  (used without --device)\n"))
    #expect(text.contains("      no device \"default\": No such file or directory\n"))
    #expect(text.hasSuffix("\n\"recorder doctor\" shows the cause and what to do.\n"))
  }

  @Test("A device that was not opened without permission is listed, and one line says why")
  func withheld() {
    let device = ListedDevice(description: Self.card.description, isWithheld: true)
    let report = DevicesReport(
      sections: [DeviceSection(direction: .capture, devices: [device])], microphone: .denied)
    let why = "Without microphone access, capture devices are not opened."
    #expect(report.text(.plain).ranges(of: why).count == 1)
    #expect(report.text(.plain).contains("recorder permission\n"))
    #expect(report.json["microphone"] == "denied")
    let listed = report.json["devices"]?[0]
    #expect(listed?["opened"] == false && listed?["error"] == .null)
  }

  @Test("A machine without devices is no error, and the report points to the doctor")
  func none() {
    #expect(report().text(.plain).hasPrefix("Recording\n  no device\n"))
    let advice = "\"recorder doctor\" shows the cause and what to do.\n"
    #expect(report().text(.plain).hasSuffix(advice))
    #expect(report().exitCode == .done)
  }

  @Test(
    "What a device can do is one line",
    arguments: [
      (48_000...48_000, [48_000], 1...1, "48000 Hz; mono; S16"),
      (44_100...48_000, [44_100, 48_000], 1...8, "44100, 48000 Hz; 1 to 8 channels; S16"),
      (8_000...96_000, [], 6...6, "8000 to 96000 Hz; 6 channels; S16"),
      (1...4_294_967_295, [48_000], 1...10_000, "any rate; any number of channels; S16"),
    ])
  func summary(
    rates: ClosedRange<Int>, common: [Int], channels: ClosedRange<Int>, expected: String
  ) {
    let able = Capabilities(
      rates: rates, commonRates: common.compactMap(SampleRate.init), channels: channels,
      formats: [.int16], otherFormats: ["MU_LAW"])
    #expect(able.summary == expected)
  }

  @Test("JSON has every device, also those that could not be opened")
  func json() {
    let devices = report(Self.card, Self.standard).json["devices"]
    #expect(devices?[0]?["capabilities"]?["rates"] == [44_100, 192_000])
    #expect(devices?[0]?["holders"] == [["pid": 4711, "program": "arecord"]])
    #expect(devices?[1]?["default"] == true)
    #expect(devices?[1]?["capabilities"] == .null && devices?[1]?["error"]?.string != nil)
  }
}
