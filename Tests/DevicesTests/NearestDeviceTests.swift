import Testing

@testable import Devices
@testable import PipeWire

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

  @Test("of a missing node in PipeWire's graph are the similar ones, or all if none is similar")
  func graph() {
    var graph = Graph()
    for (id, name, title, kind) in [
      (1, "microphone", "USB", "Audio/Source"), (2, "alsa_input", "Webcam", "Audio/Source"),
      (3, "speaker", "PCH", "Audio/Sink"), (4, "alsa_output", "Headset", "Audio/Sink"),
    ] as [(UInt32, String, String, String)] {
      graph.nodes[id] = Graph.Node(name: name, serial: "\(id)", title: title, mediaClass: kind)
    }
    for (typed, near) in [
      ("micropone", ["microphone"]), ("webcam", ["alsa_input"]),
      ("zzzzzz", ["alsa_input", "microphone"]),
    ] {
      #expect(throws: DeviceError.noNode(typed, .capture, near: near)) {
        try GraphCapture.check(.node(typed), named: "pipewire:NODE=\(typed)", in: graph)
      }
    }
    for (typed, near) in [
      ("speakr", ["speaker"]), ("headset", ["alsa_output"]),
      ("zzzzzz", ["alsa_output", "speaker"]),
    ] {
      #expect(throws: DeviceError.noOutput(device: "output:\(typed)", near: near)) {
        try GraphCapture.check(.monitor(typed), named: "output:\(typed)", in: graph)
      }
    }
  }

  @Test("are none if nothing is similar")
  func none() {
    #expect(NearestDevice.names(to: "loudspeaker", among: Self.devices).isEmpty)
  }
}
