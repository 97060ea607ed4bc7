import Audio
import Control
import Store
import Testing

@testable import Commands

@Suite("The table of takes")
struct TakeTableTests {
  private func take(_ path: String?, seconds: Int = 1) -> RecordingResult {
    var facts = TakeFacts(
      identifier: "id\(path ?? "")", name: "talk", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.path = path
    facts.bytes = 11_520_044
    facts.frames.captured = FrameCount(48_000 * seconds)
    return RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_767_323_045))
  }

  private func lines(_ results: [RecordingResult], width: Int) -> [String] {
    var report = TakesReport(takes: ListedTake.list(results.map { ($0, nil) }))
    report.width = width
    return report.text(.plain).split(separator: "\n").map(String.init)
  }

  @Test("shortens the date before the words for a take without a file", arguments: 30...60)
  func withoutFile(width: Int) {
    let lines = lines([take(nil, seconds: 0)], width: width)
    #expect(lines.count == 1 && lines[0].hasSuffix(": no file"), "\(lines)")
    #expect(columns(of: lines[0]) <= width, "\(lines)")
  }

  @Test("has the reason of a failure on its own line before a directory is left out")
  func reason() {
    var results = [take("/nowhere/of/this/armed.opus"), take("/nowhere/of/this/a.wav")]
    results[0].exit = 14
    for width in 70...120 {
      let lines = lines(results, width: width)
      #expect(lines.allSatisfy { columns(of: $0) <= width }, "\(lines)")
      #expect(lines[0].contains("/armed.opus"), "\(lines)")
      let isBeside = lines[0].hasSuffix("/armed.opus  (incomplete; gone)")
      #expect(isBeside || lines[1] == "   (incomplete; gone)", "\(lines)")
    }
  }

  @Test("has the sizes of short takes with marks and names of 22 letters in 80 columns")
  func sizes() {
    let results = (10...21).map { number in
      var result = take("/home/kim/foo-0\(number)-restored-x.wav")
      result.facts.marks = 1
      return result
    }
    let lines = lines(results, width: 80).filter { $0.contains(".wav") }
    let isSized = lines.allSatisfy { $0.contains("  11 MiB  1 mark  foo-0") }
    #expect(lines.count == 12 && isSized, "\(lines)")
  }
}
