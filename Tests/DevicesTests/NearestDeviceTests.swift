import Testing

@testable import Devices

@Suite("The nearest devices")
struct NearestDeviceTests {
  private static let devices = [
    NearestDevice.Candidate(
      name: "pipewire:NODE=alsa_input.usb", words: ["alsa_input.usb", "My Mic (USB)"]),
    NearestDevice.Candidate(
      name: "hw:CARD=PCH,DEV=0", words: ["hw:CARD=PCH,DEV=0", "0", "PCH", "HDA Intel PCH"]),
    NearestDevice.Candidate(name: "test:tone", words: ["test:tone", "built in"]),
  ]

  @Test(
    "are those that are called so, then those that hold the words, then those that are written almost so",
    arguments: [
      ("My Mic", "pipewire:NODE=alsa_input.usb"), ("my mic (usb)", "pipewire:NODE=alsa_input.usb"),
      ("mic", "pipewire:NODE=alsa_input.usb"), ("0", "hw:CARD=PCH,DEV=0"),
      ("pch", "hw:CARD=PCH,DEV=0"), ("intel", "hw:CARD=PCH,DEV=0"), ("tst:tone", "test:tone"),
      ("test:toen", "test:tone"),
    ])
  func nearest(typed: String, name: String) {
    #expect(NearestDevice.names(to: typed, among: Self.devices) == [name])
  }

  @Test("have the default speaker only for a capture")
  func speaker() {
    #expect(NearestDevice.names(to: "outptu", .capture).contains("output"))
    #expect(!NearestDevice.names(to: "outptu", .playback).contains("output"))
  }

  @Test("are none if nothing is similar")
  func none() {
    #expect(NearestDevice.names(to: "loudspeaker", among: Self.devices).isEmpty)
  }
}
