import Control
import Foundation
import Linux
import Support
import Testing

@testable import Takes

@Suite("The number of the next file of a series")
struct FileNumberTests {
  @Test("is free for the first file of a take with --keep, with and without --split")
  func first() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("", to: "log.wav")
    var plan = OutputPlan(path: scratch.path("log.wav"), format: .wav)
    let alone = try plan.firstNumber(of: "log.wav", in: Directory(scratch.path))
    plan.keep = .count(2)
    let kept = try plan.firstNumber(of: "log.wav", in: Directory(scratch.path))
    plan.split = SplitPlan(length: .seconds(1))
    let split = try plan.firstNumber(of: "log.wav", in: Directory(scratch.path))
    #expect(alone == 1 && kept == 2 && split == 2)
  }

  @Test(
    "is free for all tracks, and follows the highest number that a recording can have",
    arguments: [["log"], ["log-mic", "log-far"], ["\u{E9}"], ["e\u{301}"]])
  func next(stems: [String]) throws {
    var random = SeededGenerator(seed: 37)
    for round in 0..<(isThorough ? 1_000 : 200) {
      let scratch = try ScratchDirectory()
      var plan = OutputPlan(path: scratch.path(stems[0] + ".wav"), format: .wav)
      if stems.count > 1 { plan.tracks = stems.map { $0.trimmingBytes(first: 4) } }
      // The files of another series, whose name only looks the same, count for nothing.
      let foreign = ["\u{E9}", "e\u{301}", "other"].filter { !$0.isSameName(as: stems[0]) }
      var taken: Set<Int> = []
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let stem = (stems + foreign).randomElement(using: &random) ?? "other"
        let file = ExistingFile(of: stem, &random)
        try scratch.write("", to: file.name)
        if let number = file.number, stems.contains(where: { $0.isSameName(as: file.stem) }) {
          taken.insert(number)
        }
      }
      var last = Bool.random(using: &random) ? 0 : Int.random(in: 1...12, using: &random)
      for _ in 0..<4 {
        let number = try plan.freeNumber(
          of: stems[0] + ".wav", in: Directory(scratch.path), after: last)
        let highest = max(last, taken.max() ?? 0)
        let expected =
          highest < 999_999_999
          ? highest + 1 : (last + 1...last + 20).first { !taken.contains($0) }
        let names = try scratch.names()
        try #require(number == expected, "round \(round): \(names), after \(last)")
        for stem in stems {
          try scratch.write("", to: stem + (number == 1 ? "" : padded(number)) + ".wav")
        }
        taken.insert(number)
        last = number
      }
    }
  }
}

/// A file in the directory of a series: a file, a hidden part, a recovered take, or a file that
/// only has a similar name.
private struct ExistingFile {
  let stem: String
  let name: String
  /// The number that no file of the series may get, or nil if the name has none.
  let number: Int?

  private static let extremes = [
    "000", "001", "002", "999", "1000", "999999998", "999999999", "1000000000",
    "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "00000000005",
  ]

  init(of stem: String, _ random: inout SeededGenerator) {
    let usual = padded(Int.random(in: 1...15, using: &random))
    let extreme = "-" + (Self.extremes.randomElement(using: &random) ?? "")
    let mark = [usual, usual, extreme, "-7", "-0x10", "", "--005"].randomElement(using: &random)
    let form = [
      (".wav", ""), (".wav", ""), (".wav.part", "."), (".wav-2.part", "."),
      ("-recovered.wav", ""), ("-recovered-002.wav", ""), (".flac", ""),
    ].randomElement(using: &random)
    let (ending, start) = form ?? ("", "")
    self.stem = stem
    name = start + stem + (mark ?? "") + ending
    let isOfSeries =
      !ending.hasSuffix(".flac") && mark != "-7" && mark != "-0x10" && mark != "--005"
    let value = mark == "" ? 1 : Int((mark ?? "").dropFirst())
    number = isOfSeries ? value.flatMap { $0 <= 999_999_999 ? $0 : nil } : nil
  }
}

/// Returns the number as it is in the name of a file.
private func padded(_ number: Int) -> String { String(format: "-%03d", number) }
