import Audio
import Control
import Foundation
import Linux
import Store
import Support
import Testing

@testable import Commands

@Suite("The list of takes")
struct TakesTests {
  private func take(_ number: Int, path: String?, marks: Int = 0) -> RecordingResult {
    var facts = TakeFacts(
      identifier: "id\(number)", name: "talk", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.path = path
    facts.bytes = 11_520_044
    facts.marks = marks
    facts.frames.captured = FrameCount(48_000 * 3_723)
    return RecordingResult(
      facts, reason: .stopped, exit: 0, began: .seconds(1_767_323_045 + number))
  }

  private func store(in scratch: borrowing ScratchDirectory) -> MachineStore {
    MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
  }

  private func report(width: Int?) -> TakesReport {
    var report = TakesReport(
      takes: ListedTake.list([
        (take(0, path: "/home/kim/a rather long name of an interview.wav", marks: 1), nil),
        (take(1, path: nil), nil), (take(2, path: "/home/kim/b.wav", marks: 12), nil),
      ]))
    report.width = width
    return report
  }

  @Test("has all columns if the width is unknown")
  func wide() {
    let time = localTime(of: .seconds(1_767_323_047))
    let lines = report(width: nil).text(.plain).split(separator: "\n")
    #expect(
      lines.last
        == "-  \(time)  1:02:03.000      11 MiB  12 marks  /home/kim/b.wav  (gone)")
    #expect(lines.first?.hasPrefix("-  ") == true && lines.count == 3)
  }

  @Test(
    "fits into a terminal, and has a dash for a take without a file",
    arguments: [100, 95, 80, 70, 69, 50, 49, 36, 35, 20])
  func narrow(width: Int) {
    let text = report(width: width).text(.plain)
    let lines = text.split(separator: "\n")
    for line in lines {
      #expect(line.hasPrefix("-  ") || line == "   (gone)", "\(line)")
      #expect(columns(of: String(line)) <= width, "\(line)")
    }
    #expect(text.components(separatedBy: "(gone)").count == 3)
    if width == 100 { #expect(lines[0].contains("  …/a rather"), "\(lines)") }
  }

  @Test("names the recording of a take without a file, and shows no size")
  func unfiled() {
    var result = take(1, path: nil)
    result.frames = Accounting()
    result.exit = 15
    let text = TakesReport(takes: ListedTake.list([(result, nil)])).text(.plain)
    #expect(text.hasSuffix("  talk: no file  (nothing recorded)\n"), "\(text)")
    #expect(!text.contains("MiB"), "\(text)")
  }

  @Test(
    "distinguishes long names and shows the reason of a failure, with and without levels",
    arguments: [120, 80, 70, 60, 40, 30], [false, true])
  func alike(width: Int, isMeasured: Bool) throws {
    let scratch = try ScratchDirectory()
    let store = store(in: scratch)
    for number in 0..<12 {
      let name = "recording-20261127-1902\(10 + number).wav"
      var result = take(number, path: try scratch.write("12345", to: name), marks: number)
      result.bytes = 5
      if number == 3 { result.exit = 14 }
      try store.catalogue.add(result)
    }
    if isMeasured {
      try store.catalogue.note(
        TakeLevels(loudness: -20), of: #require(store.catalogue.listedTakes.last))
    }
    var report = TakesReport(takes: store.catalogue.listedTakes, loudness: store.catalogue.loudness)
    report.width = width
    let lines = report.text(.plain).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { columns(of: $0) <= width }, "\(lines)")
    for number in 0..<12 {
      let name = width < 60 ? "02\(10 + number).wav" : "recording-20261127-1902\(10 + number).wav"
      #expect(lines.count { $0.contains(name) } == 1, "\(lines)")
    }
    #expect(lines.joined().contains("(incomplete)"), "\(lines)")
    if width == 80 { #expect(lines.joined().contains("  11 marks  …/recording-"), "\(lines)") }
  }

  @Test("distinguishes a file that --keep deleted from one that is missing", arguments: [nil, 40])
  func pruned(width: Int?) throws {
    let scratch = try ScratchDirectory()
    let store = store(in: scratch)
    let results = (0..<2).map { take($0, path: scratch.path("log-00\($0).wav")) }
    for result in results { try store.catalogue.add(result) }
    store.catalogue.notePruned([results[0]])
    let takes = store.catalogue.listedTakes
    #expect(takes.map(\.state) == [.pruned, .missing] && !takes[0].isLost)
    #expect(store.catalogue.newestTakes(2).map(\.state) == [.pruned, .missing])
    var report = TakesReport(takes: takes)
    report.width = width
    let text = report.text(.plain)
    #expect(text.contains("(deleted by --keep)") && text.contains("(gone)"), "\(text)")
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { columns(of: $0) <= width ?? .max }, "\(text)")
    var json = ""
    try report.writeObjects(TakeLines(of: store)) { json += $0 }
    #expect(json.components(separatedBy: "\"deleted\":\"keep\"").count == 2, "\(json)")
  }

  @Test("shows the dates of more than nine takes in 40 columns")
  func dates() throws {
    let scratch = try ScratchDirectory()
    let store = store(in: scratch)
    for number in 0..<12 {
      var result = take(number, path: try scratch.write("12345", to: "interview \(number).wav"))
      (result.bytes, result.facts.frames.captured) = (5, FrameCount(48_000))
      try store.catalogue.add(result)
    }
    var report = TakesReport(takes: store.catalogue.listedTakes)
    report.width = 40
    let date = localTime(of: .seconds(1_767_323_045)).dropFirst(5).prefix(5)
    let lines = report.text(.plain).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { columns(of: $0) <= 40 && $0.contains("  \(date) ") }, "\(lines)")
  }

  @Test("has a column for durations of 100 h or more", arguments: [nil, 80, 60, 44])
  func longDurations(width: Int?) throws {
    var results = [take(0, path: "/home/kim/a.wav"), take(1, path: "/home/kim/b.wav")]
    results[0].facts.frames.captured = FrameCount(48_000 * 40_000_000)
    results[1].facts.frames.captured = FrameCount(48_000 * 61)
    var report = TakesReport(takes: ListedTake.list(results.map { ($0, nil) }))
    report.width = width
    let lines = report.text(.plain).split(separator: "\n").map(String.init)
      .filter { $0.contains(".wav") }
    try #require(lines.count == 2 && lines[0].contains("  11111:06:40"), "\(lines)")
    let ends = zip(lines, ["11111:06:40", "1:01"]).map { line, duration in
      line.range(of: duration, options: .backwards).map {
        line.distance(from: line.startIndex, to: $0.upperBound)
      }
    }
    #expect(ends[0] != nil && ends[0] == ends[1], "\(lines)")
  }

  @Test("has the title next to the name, or on the next line if the width is too small")
  func title() {
    var titled = take(0, path: "/home/kim/b.wav")
    titled.title = "Chess with Ada"
    titled.note = "lost"
    var noted = take(1, path: "/home/kim/c.wav")
    noted.note = "won"
    var report = TakesReport(takes: ListedTake.list([(titled, nil), (noted, nil)]))
    func lines(_ width: Int?) -> [Substring] {
      report.width = width
      return report.text(.plain).split(separator: "\n")
    }
    #expect(lines(nil)[0].hasSuffix("/home/kim/b.wav  \"Chess with Ada\"  (gone)"))
    #expect(lines(80)[1] == "   \"Chess with Ada\"" && lines(80).count == 3, "\(lines(80))")
    #expect(lines(20)[1] == "   \"Chess with Ada\"")
    #expect(lines(12)[1...2] == ["   \"Chess", "   with Ada\""])
    #expect(!lines(nil)[1].contains("won"))
  }

  @Test("has the tracks on a line below the take, or on several", arguments: [40, 80])
  func tracks(width: Int) {
    var result = take(0, path: "/home/kim/call.wav")
    result.facts.tracks = [
      Track(name: "mic", device: "pipewire:NODE=alsa_input.usb-Blue_Yeti", channels: 0..<1),
      Track(name: "far", device: "output", channels: 1..<3),
    ]
    var report = TakesReport(takes: ListedTake.list([(result, nil)]))
    report.width = width
    let lines = report.text(.plain).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { columns(of: $0) <= width }, "\(lines)")
    let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(text.contains("mic: channel 1, pipewire:NO"), "\(lines)")
    #expect(text.hasSuffix("far: channels 2 and 3, output"), "\(lines)")
    report.width = nil
    #expect(report.text(.plain).split(separator: "\n").count == 2)
  }

  @Test("shows times as the C library does")
  func moments() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let moment = Duration.seconds(Int64.random(in: 0...4_102_444_800, using: &random))
      var result = take(0, path: "/x")
      result.began = moment
      let text = TakesReport(takes: ListedTake.list([(result, nil)])).text(.plain)
      #expect(text.contains(localTime(of: moment)), "\(moment)")
    }
  }

  @Test("is complete as JSON if it is longer than one block")
  func longList() throws {
    let scratch = try ScratchDirectory()
    let store = store(in: scratch)
    let name = String(repeating: "x", count: 4_000)
    for number in 0..<600 { try store.catalogue.add(take(number, path: "/\(name)\(number).wav")) }
    var pieces: [String] = []
    try TakesReport(takes: store.catalogue.listedTakes).writeObjects(TakeLines(of: store)) {
      pieces.append($0)
    }
    #expect(pieces.count == 3)
    let parsed = try JSONSerialization.jsonObject(with: Data(pieces.joined().utf8))
    let list = try #require((parsed as? [String: Any])?["takes"] as? [[String: Any]])
    #expect(list.count == 600)
  }

  @Test("has a loudness column if a file was measured as it was saved and the columns fit")
  func loudness() throws {
    let scratch = try ScratchDirectory()
    let store = store(in: scratch)
    for name in ["a.wav", "b.wav"] {
      var result = take(name == "a.wav" ? 0 : 1, path: try scratch.write("12345", to: name))
      result.bytes = 5
      try store.catalogue.add(result)
    }
    func text(_ width: Int? = nil) -> [Substring] {
      let takes = store.catalogue.listedTakes
      return TakesReport(takes: takes, loudness: store.catalogue.loudness, width: width)
        .text(.plain).split(separator: "\n")
    }
    #expect(!text().joined().contains("LUFS"))
    let measured = try #require(store.catalogue.take(at: scratch.path("a.wav")))
    for loudness in [-20.5, -16.04, -16.04] {
      try store.catalogue.note(TakeLevels(loudness: loudness), of: measured)
    }
    let lines = text()
    #expect(lines[0].contains("  -16.0 LUFS  /") && !lines[1].contains("LUFS"), "\(lines)")
    #expect(lines[0].count == lines[1].count)
    let narrow = text(58)
    #expect(narrow[0].hasSuffix("  5 bytes  a.wav") && narrow[1].hasSuffix("b.wav"), "\(narrow)")
    let list = try scratch.read("state/loudness.jsonl")
    #expect(list.filter { $0 == UInt8(ascii: "\n") }.count == 2)
    var picker = PickerList(
      store.catalogue.listedTakes.reversed(), for: "play", loudness: store.catalogue.loudness)
    func lastLine(_ width: Int) -> String? {
      picker.lines(width: width, rows: 6, note: "playing", .plain).last
    }
    #expect(lastLine(80) == "playing")
    _ = picker.obey(.down, rows: 6)
    #expect(lastLine(80) == "-16.0 LUFS; playing" && lastLine(20) == lastLine(80))
    try scratch.write("123456", to: "a.wav")
    #expect(!text().joined().contains("LUFS"))
  }

  @Test("says how many files one change may contain")
  func tooMany() {
    let failure = Failure(changing: nil, TakeChangeError.tooMany(45_210, most: 37_000))
    #expect(failure.code == .usage && failure.message.fact.contains("45210 files with one"))
    #expect(failure.message.advice.first?.contains("at most 37000 files") == true)
  }

  @Test("knows the levels of a take until its file is modified, even at the same size")
  func levels() throws {
    let scratch = try ScratchDirectory()
    let store = store(in: scratch)
    let path = try scratch.write("12345", to: "a.wav")
    var result = take(0, path: path)
    result.bytes = 5
    try store.catalogue.add(result)
    let (measured, before) = (
      try #require(store.catalogue.take(at: path)), try FileStatus(of: path)
    )
    // Older versions write no peak.
    try store.catalogue.note(TakeLevels(loudness: -20), of: measured)
    #expect(
      store.catalogue.levels(of: measured, before) == nil
        && store.catalogue.loudness[measured] == -20)
    let levels = TakeLevels(loudness: -20, truePeak: -1.5, of: before)
    for _ in 0..<2 { try store.catalogue.note(levels, of: measured) }
    #expect(store.catalogue.levels(of: measured, before) == levels)
    #expect(
      try scratch.read("state/loudness.jsonl").filter { $0 == UInt8(ascii: "\n") }.count == 2)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    let after = try FileStatus(of: path)
    #expect(
      store.catalogue.levels(of: measured, after) == nil
        && store.catalogue.loudness[measured] == -20)
  }

  @Test(
    "is searched by words and times",
    arguments: [
      (["talk"], true), (["TALK", "interview"], true), (["interview", "nothing"], false),
      (["2026-01-0"], true), (["kim/a rather"], true),
    ])
  func words(words: [String], isListed: Bool) {
    let takes = ListedTake.list([(take(0, path: "/home/kim/a rather long interview.wav"), nil)])
    #expect(takes.allSatisfy { TakeFilter(words: words).admits($0) == isListed })
    let began = Duration.seconds(1_767_323_045)
    #expect(takes.allSatisfy(TakeFilter(words: [], from: began).admits))
    #expect(!takes.contains(where: TakeFilter(words: [], from: began + .seconds(1)).admits))
    #expect(!takes.contains(where: TakeFilter(words: [], to: began).admits))
  }
}
