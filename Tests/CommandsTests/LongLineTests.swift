import Audio
import Control
import Foundation
import Store
import Support
import Testing

@testable import Commands

@Suite("A take with many marks")
struct LongLineTests {
  @Test("is listed in JSON with all of its facts, although its line is longer than 1 MiB")
  func listed() throws {
    let scratch = try ScratchDirectory()
    let store = MachineStore(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    var facts = TakeFacts(
      identifier: "id", name: "talk", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.path = try scratch.write("12345", to: "a.wav")
    facts.bytes = 5
    var result = RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000))
    // A line that is not plain ASCII is decoded.
    result.markTexts = Array(repeating: String(repeating: "\u{E9}", count: 500), count: 1_100)
    try store.catalogue.add(result)
    var json = ""
    try TakesReport(takes: store.catalogue.listedTakes).writeObjects(TakeLines(of: store)) {
      json += $0
    }
    let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let take = try #require((list?["takes"] as? [[String: Any]])?.first)
    #expect(take["began"] != nil && take["format"] as? String == "wav")
  }
}
