import Audio
import Linux
import Support
import Testing

@testable import Devices

@Suite("PipeWire's nodes")
struct PipeWireDumpTests {
  private static let dump = """
    [ {"id": 1, "type": "PipeWire:Interface:Client", "info": {"props": {"node.name": "no node"}}},
      {"id": 2, "type": "PipeWire:Interface:Metadata", "props": {"metadata.name": "default"},
       "metadata": [{"key": "default.audio.source", "value": {"name": "usb.mic"}},
                    {"key": "default.audio.sink", "value": {"name": "odd, name"}}]},
      {"id": 3, "type": "PipeWire:Interface:Node", "info": {
        "props": {"node.name": "built-in", "media.class": "Audio/Duplex", "object.serial": 33,
                  "node.nick": "Built in"},
        "params": {"Props": [{"mute": true, "channelVolumes": [0.5, 0.25]}]}}},
      {"id": 4, "type": "PipeWire:Interface:Node", "info": {
        "props": {"node.name": "usb.mic", "media.class": "Audio/Source", "object.serial": 44,
                  "node.description": "A microphone"},
        "params": {"EnumFormat": [
          {"mediaSubtype": "dsp", "channels": 7, "rate": 1, "format": "F32P"},
          {"mediaSubtype": "raw", "format": {"default": "S32LE", "alt1": "S16LE", "alt2": "U8"},
           "rate": {"default": 48000, "alt1": 44100, "alt2": 48000}, "channels": 2}]}}},
      {"id": 5, "type": "PipeWire:Interface:Node", "info": {
        "props": {"node.name": "odd, name", "media.class": "Audio/Sink", "object.serial": 55}}},
      {"id": 6, "type": "PipeWire:Interface:Node", "info": {
        "props": {"node.name": "a program", "media.class": "Stream/Input/Audio"}}},
      {"id": 7, "type": "PipeWire:Interface:Node", "info": {
        "props": {"media.class": "Stream/Output/Audio", "application.name": "Player"}}},
      {"id": 8, "type": "PipeWire:Interface:Node", "info": {
        "props": {"media.class": "Stream/Output/Audio", "application.name": "Player"}}} ]
    """

  @Test("Are listed with the default first, each by a name that opens it")
  func nodes() throws {
    let graph = try #require(PipeWireGraph(dump: Array(Self.dump.utf8)))
    let names = Direction.allCases.map { graph.nodes($0).map(\.deviceName) }
    #expect(
      names == [
        ["pipewire:NODE=usb.mic", "pipewire:NODE=built-in"],
        ["pipewire:NODE=55", "pipewire:NODE=built-in"],
      ])
    #expect(graph.nodes(.capture).map(\.title) == ["A microphone", "Built in"])
    #expect(graph.nodes.map(\.defaults) == [[], [.capture], [.playback]])
    #expect(graph.nodes.map(\.isMuted) == [true, false, false])
    #expect(graph.nodes.map(\.volume) == [0.5, nil, nil])
    #expect(graph.programs == ["Player"])
  }

  @Test("Have the rates, channels and formats that need no conversion by the server")
  func capabilities() throws {
    let graph = try #require(PipeWireGraph(dump: Array(Self.dump.utf8)))
    let able = try #require(graph.nodes(.capture).first?.capabilities)
    #expect(able.rates == 44_100...48_000 && able.commonRates.map(\.hertz) == [44_100, 48_000])
    #expect(able.channels == 2...2)
    #expect(able.formats == [.int16, .int32] && able.otherFormats == ["U8"])
    #expect(graph.nodes(.playback).first?.capabilities == nil)
  }

  @Test(
    "Have no impossible rates and numbers of channels",
    arguments: ["-9223372036854775808", "-1", "0", "2147483648", "9223372036854775807", "1e9"])
  func impossible(number: String) throws {
    let dump = Self.dump.replacing("\"alt1\": 44100", with: "\"alt1\": \(number)")
      .replacing("\"channels\": 2", with: "\"channels\": {\"default\": 2, \"min\": \(number)}")
    let graph = try #require(PipeWireGraph(dump: Array(dump.utf8)))
    let able = try #require(graph.nodes(.capture).first?.capabilities)
    #expect(able.rates == 48_000...48_000 && able.channels == 2...2)
  }

  @Test("Are complete even if others appear and disappear meanwhile")
  func changes() throws {
    let gone = "[ { \"id\": 5, \"info\": null } ]"
    let new = Self.dump.replacing("odd, name", with: "new")
    let names = { (dump: String) in
      PipeWireGraph(dump: Array(dump.utf8))?.nodes(.playback).map(\.name).sorted()
    }
    #expect(names(gone + "\n" + Self.dump) == ["built-in", "odd, name"])
    #expect(names(Self.dump + "\n" + gone + "\n") == ["built-in"])
    #expect(names(Self.dump + gone + new) == ["built-in", "new"])
    #expect(names(Self.dump + new) == ["built-in", "new"])
  }

  @Test(
    "Are not read from anything but a list of objects",
    arguments: ["", " ", "{}", "[", "can't", "[] {}", "[] ["])
  func noDump(text: String) { #expect(PipeWireGraph(dump: Array(text.utf8)) == nil) }

  @Test(
    "Are asked for by NODE alone",
    arguments: [
      ("pipewire:NODE=mic", "mic", nil), ("pipewire:SERVER=other,NODE=a:b", "a:b", "other"),
      ("pipewire:other,7", "7", "other"), ("pipewire:NODE=mic,ROLE=x", "mic", nil),
    ] as [(String, String, String?)])
  func name(text: String, node: String, server: String?) throws {
    let name = try #require(NodeName(text))
    #expect(name.node == node && name.server == server)
  }

  @Test(
    "Are not asked for by other names",
    arguments: ["pipewire", "default", "pipewire:", "pipewire:NODE=-1", "hw:NODE=mic"])
  func noName(text: String) { #expect(NodeName(text) == nil) }

  @Test("Are unavailable if pw-dump does not answer in time")
  func silentTool() throws {
    let began = KernelClock.monotonic.now
    #expect(throws: SystemError("read", errno: .timedOut)) {
      try Spawn("/bin/sleep", ["30"]).output(atMost: 100, within: .milliseconds(200))
    }
    #expect(KernelClock.monotonic.now - began < .seconds(5))
    #expect(throws: SystemError("read", errno: .tooLarge)) {
      try Spawn("/bin/sh", ["-c", "head -c 101 /dev/zero"]).output(
        atMost: 100, within: .seconds(10))
    }
    let words = try Spawn("/bin/echo", ["a", "b"]).output(atMost: 100, within: .seconds(10))
    #expect(words == Array("a b\n".utf8))
  }
}

@Suite("The nodes of a paced card", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(10)))
struct PacedNodeTests {
  init() { FakeCard.install() }

  @Test("Are both listed as defaults, and open by their names")
  func listed() throws {
    let listed = DeviceList.pipeWireNodes(Direction.allCases)
    #expect(
      listed.map(\.name).filter { !$0.contains("second") } == [
        "pipewire:NODE=microphone", "pipewire:NODE=speaker",
      ])
    _ = try CaptureDevice("pipewire:NODE=microphone")
    _ = try PlaybackDevice("pipewire:NODE=speaker")
  }

  @Test("Refuse an unknown name, which the server would replace silently, and name the nearest")
  func unknown() {
    #expect(throws: DeviceError.noNode("micropone", .capture, near: ["microphone"])) {
      _ = try CaptureDevice("pipewire:NODE=micropone")
    }
    #expect(throws: DeviceError.noNode("microphone", .playback, near: ["speaker"])) {
      _ = try PlaybackDevice("pipewire:NODE=microphone")
    }
  }
}

@Suite("The controls of a mixer")
struct MixerControlTests {
  private static func control(_ name: String, _ muted: Bool, _ volume: Double?) -> MixerControl {
    MixerControl(name: name, direction: .capture, isMuted: muted, volume: volume)
  }

  @Test(
    "Silence a card if the one for all sources is closed or, without it, if all are closed",
    arguments: [
      ([], []), ([control("Capture", false, 0.5)], []),
      ([control("Capture", true, 0.5)], ["Capture"]),
      ([control("Capture", false, 0)], ["Capture"]),
      ([control("Capture", false, nil), control("Mic", true, 0)], []),
      ([control("Line", true, nil), control("Mic", false, 1)], []),
      ([control("Line", true, nil), control("Mic", false, 0)], ["Line", "Mic"]),
      ([control("Mic Boost", false, 0), control("IEC958", true, nil)], []),
    ] as [([MixerControl], [String])])
  func silencing(controls: [MixerControl], expected: [String]) {
    #expect(controls.silencing.map(\.name) == expected)
  }
}
