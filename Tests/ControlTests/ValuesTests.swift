import Audio
import Control
import JSON
import Testing

@Suite("Values sent over the socket")
struct ValuesTests {
  private var plan: RecordingPlan {
    var capture = CapturePlan(device: "hw:1", rate: .hz44100, channels: .stereo)
    capture.selection = [3, 4]
    capture.gain = Decibels(-6)
    capture.period = .milliseconds(20)
    var output = OutputPlan(path: "/a b/c.wav", format: .wav, sample: .int24Packed)
    output.replaces = true
    output.sidecar = .never
    output.title = "Ä"
    var plan = RecordingPlan(
      identifier: "0123", name: "default", capture: capture, output: output,
      limits: RecordingLimits(duration: .seconds(90), size: 5_000_000_000))
    plan.client = "meet"
    plan.toleratesGaps = true
    plan.reconnect = .seconds(30)
    return plan
  }

  @Test("A plan is unchanged after encoding as JSON")
  func planRoundTrip() throws {
    let text = plan.json.encoded()
    #expect(RecordingPlan(json: try JSONValue(decoding: text)) == plan)
  }

  @Test("A plan without a device is refused")
  func planWithoutDevice() throws {
    var members = try #require(plan.json.object)
    members["capture"] = [:]
    #expect(RecordingPlan(json: .object(members)) == nil)
  }

  @Test("A status is unchanged after encoding as JSON, also with silence")
  func statusRoundTrip() throws {
    let facts = TakeFacts(
      identifier: "1", name: "n", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .mono, sample: .int16), format: .raw)
    var status = RecordingStatus(facts, state: .recording, process: 7)
    status.frames.captured = 100
    status.frames.lost = 7
    status.frames.discarded = 30
    status.frames.filled = 7
    status.gaps = [Gap(position: 5, length: 7, cause: .stalled)]
    status.warnings = ["only silence so far"]
    let json = try JSONValue(decoding: status.json.encoded())
    #expect(RecordingStatus(json: json) == status)
    for key in ["stopOnSilence", "threshold", "limits", "split", "keep"] {
      #expect(json[key] == nil, "\(key)")
    }
    #expect(json["peak"] == .null)
    #expect(json["frames"]?["elapsed"] == 107)
    #expect(json["frames"]?["onDisk"] == 77)
    status.state = .paused
    #expect(status.level == nil && RecordingStatus(json: status.json) == status)
    for key in ["peak", "rms", "clipped"] { #expect(status.json[key] == nil, "\(key)") }
  }

  @Test("A result is unchanged after encoding as JSON")
  func resultRoundTrip() throws {
    let facts = TakeFacts(
      identifier: "1", name: "n", device: "hw:0",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int32), format: .flac)
    var result = RecordingResult(
      facts, reason: .disk, exit: 14, began: .seconds(1_700_000_000))
    result.message = "no space"
    result.path = "/x.flac"
    result.frames.captured = 96_000
    #expect(result.ended == .seconds(1_700_000_002) && result.json["ended"] == nil)
    #expect(RecordingResult(json: try JSONValue(decoding: result.json.encoded())) == result)
    result.ended = .seconds(1_700_000_060)
    #expect(RecordingResult(json: try JSONValue(decoding: result.json.encoded())) == result)
  }

  @Test("A result of a recovery has no peak, because null would mean silence")
  func recoveredResult() throws {
    let facts = TakeFacts(
      identifier: "1", name: "n", device: "hw:0",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    for (reason, isKnown) in [(EndReason.interrupted, false), (.stopped, true)] {
      let result = RecordingResult(facts, reason: reason, exit: 14, began: .seconds(1_700_000_000))
      let json = try JSONValue(decoding: result.json.encoded())
      #expect((json["peak"] != nil) == isKnown && (json["clipped"] != nil) == isKnown, "\(json)")
      #expect(RecordingResult(json: json) == result)
    }
  }

  @Test("A status and a result have exactly the members that other programs expect")
  func lines() throws {
    let status =
      #"{"id":"1","name":"n","state":"recording","pid":7,"path":"/a.wav","device":"hw:0","#
      + #""rate":48000,"channels":1,"sample":"S16","format":"flac","file":{"rate":44100,"#
      + #""channels":2,"sample":"S24_3"},"elapsed":1.5,"frames":{"elapsed":72000,"#
      + #""captured":48000,"lost":24000,"discarded":0,"filled":0,"onDisk":48000},"gaps":"#
      + #"[{"position":5,"length":7,"cause":"stalled"}],"peak":null,"rms":null,"clipped":0,"#
      + #""highestPeak":null,"levels":[{"peak":-20.0,"rms":null,"clipped":0}],"totalClipped":5,"#
      + #""bytes":9,"marks":2,"segment":3,"stopOnSilence":2.5,"threshold":-50.0,"limits":"#
      + #"{"duration":3600.0,"size":5,"free":7},"split":{"length":600.0,"aligned":true},"#
      + #""keep":{"count":5},"freeSeconds":9.5,"freeBytes":77,"#
      + #""accessUntil":"2023-11-14T22:13:20.000000Z","client":"meet","warnings":["w"]}"#
    let result =
      #"{"id":"1","name":"n","reason":"disk","exit":14,"message":"m","path":"/a.wav","#
      + #""sidecar":"/a.wav.json","device":"hw:0","rate":48000,"channels":1,"sample":"S16","#
      + #""format":"flac","file":{"rate":44100,"channels":2,"sample":"S24_3"},"duration":1.0,"#
      + #""frames":{"elapsed":72000,"captured":48000,"lost":24000,"discarded":0,"filled":0,"#
      + #""onDisk":48000},"gaps":[],"peak":null,"clipped":4,"bytes":9,"marks":2,"#
      + #""began":"2023-11-14T22:13:20.000000Z","client":"meet","segment":3,"series":"/a.wav"}"#
    let statusJSON = try JSONValue(decoding: status)
    #expect(RecordingStatus(json: statusJSON)?.json.encoded() == status)
    let resultJSON = try JSONValue(decoding: result)
    #expect(RecordingResult(json: resultJSON)?.json.encoded() == result)
  }

  @Test("A status or a result that lacks a member which is always written is refused")
  func lackingMembers() throws {
    let facts = TakeFacts(
      identifier: "1", name: "n", device: "hw:0",
      stream: StreamFormat(rate: .hz48000, channels: .mono, sample: .int16), format: .flac)
    let status = RecordingStatus(facts, state: .recording, process: 7).json
    var whole = RecordingResult(facts, reason: .stopped, exit: 0, began: .zero)
    whole.total = TakeTotal(files: 2, frames: Accounting(), marks: 1)
    let result = whole.json
    #expect(RecordingStatus(json: status) != nil && RecordingResult(json: result) == whole)
    let derived = ["elapsed", "duration"]
    for key in try #require(status.object).keys where !derived.contains(key) {
      #expect(RecordingStatus(json: lacking(key, status)) == nil, "\(key)")
    }
    for key in try #require(result.object).keys where !derived.contains(key) && key != "total" {
      #expect(RecordingResult(json: lacking(key, result)) == nil, "\(key)")
    }
    var total = result.object
    total?["total"] = lacking("marks", try #require(result["total"]))
    #expect(total.flatMap { RecordingResult(json: .object($0)) }?.total == nil)
  }

  private func lacking(_ key: String, _ json: JSONValue) -> JSONValue {
    var object = json.object ?? [:]
    object[key] = nil
    return .object(object)
  }

  @Test("Counts that no recording can have are refused", arguments: [-1, Int64.max, 1 << 53])
  func unbelievableCounts(count: Int64) {
    for key in ["captured", "lost", "discarded", "filled"] {
      var members: JSONObject = ["captured": 1, "lost": 1, "discarded": 1, "filled": 1]
      #expect(Accounting(json: .object(members)) != nil)
      members[key] = .integer(count)
      #expect(Accounting(json: .object(members)) == nil)
    }
  }

  @Test("A negative length of a file is refused")
  func negativeLength() {
    var members: JSONObject = ["captured": 1, "lost": 1, "discarded": 2, "filled": 1]
    #expect(Accounting(json: .object(members)) != nil)
    members["captured"] = 0
    #expect(Accounting(json: .object(members)) == nil)
  }
}
