import Audio
import Control
import JSON
import Testing

@Suite("Tracks in JSON")
struct TrackTests {
  private let tracks = [
    Track(name: "mic", device: "test:tone", channels: 0..<1),
    Track(name: "far", device: "test:ramp", channels: 1..<3),
  ]

  private var facts: TakeFacts {
    var facts = TakeFacts(
      identifier: "1", name: "n", device: "hw:0",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.tracks = tracks
    return facts
  }

  @Test("are counted from channel 1, and are unchanged after encoding")
  func roundTrip() throws {
    var result = RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1))
    let gap = Gap(position: 48_000, length: 4_800, cause: .permission)
    result.tracks.set([[], [gap]], most: 200)
    result.tracks[1].ended = .permission
    result.tracks[1].offset = .milliseconds(-250)
    let json = try JSONValue(decoding: result.json.encoded())
    #expect(json["device"] == "test:tone")
    #expect(
      json["tracks"] == [
        [
          "name": "mic", "device": "test:tone", "service": "microphone", "gaps": [],
          "firstChannel": 1, "channels": 1,
        ],
        [
          "name": "far", "device": "test:ramp", "offset": -0.25, "service": "microphone",
          "gaps": [gap.json], "ended": "permission", "firstChannel": 2, "channels": 2,
        ],
      ])
    #expect(RecordingResult(json: json) == result)
  }

  @Test("have the titles of their devices, and so has a plain take")
  func titles() throws {
    var call = facts
    call.tracks[1].deviceTitle = "Speakers"
    var plain = facts
    plain.tracks = [Track(device: "default")]
    plain.tracks[0].deviceTitle = "Blue Yeti"
    for (facts, title) in [(call, nil), (plain, "Blue Yeti")] {
      let status = RecordingStatus(facts, state: .recording, process: 1)
      #expect(RecordingStatus(json: status.json) == status)
      #expect(status.json["deviceTitle"]?.string == title)
    }
  }

  @Test("have the latest gaps of all tracks together, at most the limit")
  func limit() {
    var tracks = tracks
    let gaps = (0..<9).map { Gap(position: FrameCount($0 * 10), length: 5, cause: .disconnected) }
    tracks.set([gaps, []], most: 6)
    #expect(tracks.map(\.gaps) == [Array(gaps.suffix(3)), []])
  }

  @Test("of a plan have no channels yet, and a plain plan has only a device")
  func plan() throws {
    var plan = CapturePlan(device: "hw:1")
    #expect(plan.json["device"] == "hw:1" && plan.json["tracks"] == nil)
    #expect(CapturePlan(json: plan.json) == plan)
    plan.tracks = [Track(name: "mic", device: "default"), Track(name: "far", device: "output")]
    let json = try JSONValue(decoding: plan.json.encoded())
    #expect(json["tracks"]?[1] == ["name": "far", "device": "output", "service": "systemAudio"])
    #expect(CapturePlan(json: json) == plan)
  }

  @Test("with a number or a name that no track can have are those of a plain take")
  func impossible() throws {
    let plain = try #require([Track](ofTake: ["device": "d"]))
    for track in [
      ["name": "mic", "firstChannel": 1, "channels": 1], ["name": "Mic", "device": "d"],
      ["name": "", "device": "d"], ["name": "a b", "device": "d"], "mic",
    ] as [JSONValue] {
      #expect([Track](ofTake: ["device": "d", "tracks": [track]]) == plain, "\(track)")
    }
    for number in [0, -1, 1_025, Int64.max] {
      let track: JSONValue = [
        "name": "mic", "device": "d", "firstChannel": .integer(number), "channels": 1,
      ]
      let read = [Track](ofTake: ["device": "d", "tracks": [track]])
      #expect(read == [Track(name: "mic", device: "d")], "\(number)")
    }
  }
}
