import Audio
import PipeWire
import Testing

@testable import Devices

@Suite("The name of a device")
struct DeviceNameTests {
  @Test(
    "means a built-in capture device or a PCM of ALSA's",
    arguments: [
      ("test:tone", DeviceName.wave(.tone(hertz: 1_000))),
      ("test:tone:440", .wave(.tone(hertz: 440))), ("test:silence", .wave(.silence)),
      ("test:ramp", .wave(.ramp)), ("default", .alsa("default")),
      ("test:ramp@+150ppm", .wave(.ramp, clockError: 150)),
      ("test:tone:440@-80ppm", .wave(.tone(hertz: 440), clockError: -80)),
      ("hw:CARD=Loopback,DEV=0", .alsa("hw:CARD=Loopback,DEV=0")), ("test", .alsa("test")),
      ("", .alsa("")),
    ])
  func capture(text: String, expected: DeviceName) throws {
    #expect(try DeviceName(text, for: .capture) == expected)
  }

  @Test(
    "is refused if it begins with \"test:\" but names no built-in device",
    arguments: [
      "test:", "test:noise", "test:null", "test:tone:", "test:tone:0", "test:tone:-1",
      "test:tone:x", "test:tone:440:1", "test:tone:99999999999999999999", "test:silence:1",
      "test:ramp ", "test:TONE", "test:ramp@", "test:ramp@ppm", "test:ramp@150", "test:@1ppm",
      "test:ramp@+100001ppm", "test:ramp@1.5ppm", "test:ramp@1ppm ", "test:ramp@1ppm@1ppm",
    ])
  func refused(text: String) {
    #expect(throws: DeviceError.unknownBuiltIn(name: text, direction: .capture)) {
      try DeviceName(text, for: .capture)
    }
  }

  @Test(
    "means the sound of a speaker or of a program",
    arguments: [
      ("output", Source.Kind.defaultMonitor), ("output:usb.headset", .monitor("usb.headset")),
      ("output:a:b", .monitor("a:b")), ("app:Music Player", .program("Music Player")),
    ])
  func played(text: String, expected: Source.Kind) throws {
    #expect(Track.recordsSystemAudio(text))
    #expect(try DeviceName(text, for: .capture) == .played(expected))
    #expect(try DeviceName(text, for: .playback) == .alsa(text))
  }

  @Test(
    "means no such sound if only a part of it, or another case, is the same",
    arguments: ["Output", "outputs", "app", "APP:x", " output", "output\u{301}", "test:tone"])
  func notPlayed(text: String) { #expect(!Track.recordsSystemAudio(text)) }

  @Test("of a speaker or a program is not empty", arguments: ["output:", "app:"])
  func unnamed(text: String) {
    #expect(throws: DeviceError.unnamed(text)) { try DeviceName(text, for: .capture) }
  }

  @Test("means a built-in playback device only if it is test:null")
  func playback() throws {
    #expect(try DeviceName("test:null", for: .playback) == .null)
    #expect(throws: DeviceError.unknownBuiltIn(name: "test:ramp", direction: .playback)) {
      try DeviceName("test:ramp", for: .playback)
    }
  }

  @Test(
    "is refused with a list of the built-in names, and with the direction of a known device",
    arguments: [
      (
        "test:x", Direction.capture,
        "no built-in capture device \"test:x\"; the built-in capture devices are "
          + "test:tone[:HZ], test:silence and test:ramp"
      ),
      (
        "test:x", .playback,
        "no built-in playback device \"test:x\"; the built-in playback device is test:null"
      ),
      (
        "test:tone:440", .playback,
        "\"test:tone:440\" only records, and does not play; the built-in playback device is test:null"
      ),
      (
        "test:null", .capture,
        "\"test:null\" only plays, and does not record; the built-in capture devices are "
          + "test:tone[:HZ], test:silence and test:ramp"
      ),
    ])
  func message(name: String, direction: Direction, expected: String) {
    let error = DeviceError.unknownBuiltIn(name: name, direction: direction)
    #expect(error.description == expected)
  }

  @Test(
    "An output and a program are system audio, and no other device is",
    arguments: [
      ("output", true), ("output:", true), ("output:hdmi", true), ("app:Firefox", true),
      ("app:", true), ("app", false), ("outputs", false), ("Output", false), ("default", false),
      ("hw:output", false), ("pipewire:NODE=output", false), ("test:tone", false), ("", false),
    ])
  func systemAudio(text: String, expected: Bool) {
    #expect(Track.recordsSystemAudio(text) == expected)
  }
}
