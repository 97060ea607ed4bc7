import Audio
import Control
import Foundation
import Linux
import Store
import Support
import Testing

@testable import Commands

/// A list of takes. Those named `gone…` have no file.
final class PickedTakes {
  let scratch: ScratchDirectory
  let takes: [ListedTake]

  /// - Parameter lengths: the durations in seconds, or nil for a different one of each take.
  init(_ names: [String], lasting lengths: [Int]? = nil) throws {
    let scratch = try ScratchDirectory()
    // 2026-03-01 14:00 in local time.
    let noon = Duration.seconds(1_772_373_600)
    let began = noon - WallTime(sinceEpoch: noon).localOffset
    var results: [RecordingResult] = []
    for (place, name) in names.enumerated() {
      if !name.hasPrefix("gone") { try scratch.write("x", to: name) }
      var facts = TakeFacts(
        identifier: "id\(place)", name: "session\(place)", device: "test:ramp",
        stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
      facts.path = scratch.path(name)
      facts.bytes = 1
      facts.frames.captured = FrameCount(48_000 * (lengths?[place] ?? 61 + 60 * place))
      results.append(
        RecordingResult(
          facts, reason: .stopped, exit: 0, began: began + .seconds(60 * place)))
    }
    self.scratch = scratch
    takes = ListedTake.list(results.map { ($0, nil) }).reversed()
  }

  func list() -> PickerList { PickerList(takes, for: "play") }
}

@Suite("The picker")
struct PickerTests {
  private let takes = try? PickedTakes(
    ["talk.wav", "Größe und Übermaß.flac", "gone.wav", "interview with Kim.wav"]
      + (5...40).map { "take\($0).wav" })

  private func typed(_ text: String, _ list: inout PickerList) {
    for character in text { _ = list.obey(.character(character), rows: 20) }
  }

  private func names(_ list: PickerList) -> [String] {
    list.shown.compactMap { list.takes[$0].path?.pathParts.name }
  }

  @Test(
    "Letters find parts of names, dates and sessions in any case",
    arguments: [
      ("talk", ["talk.wav"]), ("TALK", ["talk.wav"]), ("größe", ["Größe und Übermaß.flac"]),
      ("ÜBER", ["Größe und Übermaß.flac"]), ("session3", ["take40.wav"]), ("nothing", []),
      ("kim", ["interview with Kim.wav"]), ("14:01", ["Größe und Übermaß.flac"]),
    ])
  func filter(text: String, found: [String]) throws {
    var list = try #require(takes).list()
    typed(text, &list)
    // The number of a session is a prefix of other numbers, so only the first match is compared.
    #expect(Array(names(list).prefix(1)) == found)
    for _ in text { _ = list.obey(.backspace, rows: 20) }
    #expect(list.shown.count == 40 && list.filter.isEmpty)
  }

  @Test("Keys move within the list, and never beyond its ends")
  func moves() throws {
    var list = try #require(takes).list()
    let steps: [(Key, Int)] = [
      (.up, 0), (.down, 1), (.pageDown, 18), (.pageDown, 35), (.pageDown, 39), (.down, 39),
      (.pageUp, 22), (.home, 0), (.end, 39), (.character("a"), 0),
    ]
    for (key, place) in steps {
      _ = list.obey(key, rows: 20)
      #expect(list.chosen == place, "\(key)")
    }
    typed("zzz", &list)
    #expect(list.take == nil && list.chosen == 0)
    #expect(list.lines(width: 40, rows: 10, .plain).contains("  no matching take"))
  }

  @Test("Names are aligned after durations of 100 h or more")
  func longDurations() throws {
    var list = try PickedTakes(["a.wav", "b.wav"], lasting: [61, 40_000_000]).list()
    let lines = list.lines(width: 60, rows: 6, .plain)
    let starts = lines.compactMap { line in
      line.range(of: ".wav").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
    }
    #expect(starts.count == 2 && Set(starts).count == 1, "\(lines)")
  }

  @Test("The chosen take is visible in a window of any size")
  func window() throws {
    var list = try #require(takes).list()
    for width in [1, 5, 20, 40, 80, 200] {
      for rows in [1, 2, 3, 4, 5, 6, 24] {
        for key in [Key.home, .pageDown, .pageDown, .end, .up, .pageUp] {
          _ = list.obey(key, rows: rows)
          let lines = list.lines(
            width: width, rows: rows, thumbnails: [1: "⠶⠶⠶", 40: "⠶"], .plain)
          #expect(lines.count <= min(rows, PickerList.mostRows))
          #expect(lines.allSatisfy { columns(of: $0) <= width }, "\(width): \(lines)")
          if rows > 1, width > 1 { #expect(lines.count { $0.hasPrefix(">") } == 1, "\(lines)") }
        }
      }
    }
  }

  @Test("A take whose file is missing is marked, and cannot be chosen")
  func gone() throws {
    var list = try #require(takes).list()
    typed("gone", &list)
    #expect(list.take?.exists == false)
    #expect(list.lines(width: 60, rows: 5, .plain)[1].contains("gone.wav  (gone)"))
  }

  @Test("The newest take with a file is chosen first, also among the takes that match")
  func usable() throws {
    let takes = try PickedTakes(["talk.wav", "talk-002.wav", "gone talk.wav", "gone.wav"])
    var list = takes.list()
    #expect(list.take?.path == takes.scratch.path("talk-002.wav"))
    typed("talk", &list)
    #expect(list.take?.path == takes.scratch.path("talk-002.wav"))
  }

  @Test("The keys and a note take two lines if one is too narrow", arguments: [39, 79, 19])
  func footer(width: Int) throws {
    var list = try #require(takes).list()
    let text = list.lines(width: width, rows: 12, .plain).suffix(2).joined(separator: " ")
    #expect(text.hasSuffix("Esc cancels"), "\(text)")
    let note = "cannot play: no device of the name nonsense"
    let lines = list.lines(width: width, rows: 12, note: note, .plain)
    #expect(lines.count <= 12 && lines.joined(separator: " ").hasSuffix(note), "\(lines)")
  }

  @Test("A long name is shortened in the middle, so that its end stays visible")
  func longName() throws {
    var list = try PickedTakes(["interview with Kim-001.wav", "interview with Kim-002.wav"]).list()
    let lines = list.lines(width: 30, rows: 5, .plain)
    #expect(lines[1].hasSuffix("002.wav") && lines[2].hasSuffix("001.wav"), "\(lines)")
  }

  @Test("Only visible takes get thumbnails, the chosen take first")
  func thumbnails() throws {
    var list = try #require(takes).list()
    for _ in 0..<25 { _ = list.obey(.down, rows: 10) }
    let visible = list.visible(width: 80, rows: 10).map(\.number)
    #expect(visible.first == 26 && Set(visible).count == 8 && visible.contains(19))
  }
}

@Suite("Thumbnails in the background")
struct ThumbnailTests {
  /// Makes a program that replaces `recorder`. It writes its process number to `FILE.pid`, then
  /// runs `end`.
  private func program(_ scratch: borrowing ScratchDirectory, _ end: String) throws -> String {
    let text = "#!/bin/sh\necho $$ > \"$7.pid\"\n\(end)\n"
    let source = try scratch.write(text, to: "text")
    // `install` writes the program, because it has only one thread. If this process wrote it, a
    // child started by another thread could inherit the open file, and the kernel refuses to run a
    // file that is open for writing.
    let made = try Tool.run("install", ["-m", "700", source, scratch.path("program")])
    try #require(made.code == 0)
    return scratch.path("program")
  }

  /// Waits for the program of a take and returns its process.
  private func process(of take: ListedTake) throws -> OtherProcess {
    let path = (take.path ?? "") + ".pid"
    var text = ""
    try eventually {
      text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.hasSuffix("\n")
    }
    return try OtherProcess(#require(Int32(text.dropLast())))
  }

  @Test("The process of a take ends if the take is not wanted any more, and with the last owner")
  func cancelled() throws {
    let takes = try PickedTakes(["a.wav", "b.wav"])
    var thumbnails: Thumbnails? = Thumbnails(by: try program(takes.scratch, "exec sleep 1000"))
    thumbnails?.want([takes.takes[0]], width: 10)
    let first = try process(of: takes.takes[0])
    thumbnails?.want([takes.takes[0], takes.takes[1]], width: 10)
    #expect(try !first.descriptor.wait(upTo: .zero))
    thumbnails?.want([takes.takes[1]], width: 10)
    #expect(try first.descriptor.wait(upTo: .seconds(30)))
    let second = try process(of: takes.takes[1])
    thumbnails = nil
    #expect(try second.descriptor.wait(upTo: .seconds(30)))
  }

  @Test(
    "A waveform shows the loudest channel, and is empty if the take cannot be shown",
    arguments: [
      (#"echo '{"channels":[{"peak":[null,null]},{"peak":[0,-60]}]}'"#, "⡷"), ("exit 16", ""),
      ("echo nonsense", ""), (#"echo '{"channels":[]}'"#, ""),
    ])
  func answers(script: String, picture: String) throws {
    let takes = try PickedTakes(["a.wav"])
    var thumbnails = Thumbnails(by: try program(takes.scratch, script))
    thumbnails.want(takes.takes, width: 1)
    var poll = Poll(capacity: 1)
    while !thumbnails.serve() {
      poll.removeAll()
      poll.add(thumbnails.number)
      let ready = try poll.wait(upTo: .seconds(30))
      try #require(ready > 0)
    }
    #expect(thumbnails.known[1] == picture)
  }
}

@Suite("The pictures in the documentation")
struct PictureTests {
  /// Compares the page with all pictures. With `RECORDER_DRAW_VIEWS=1`, writes the page first.
  @Test("Match the output of the program")
  func pictures() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/terminal-views.txt")
    let page = try drawn()
    if ProcessInfo.processInfo.environment["RECORDER_DRAW_VIEWS"] != nil {
      try Data(page.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == page)
  }

  private func drawn() throws -> String {
    let takes = try PickedTakes(["talk.wav", "gone.wav", "interview with Kim.wav", "song.flac"])
    let until = Duration.seconds(1_772_375_400)
    func local(_ view: (status: RecordingStatus, hold: PeakHold)) -> LiveView {
      var status = view.status
      status.accessUntil = until - WallTime(sinceEpoch: until).localOffset
      return LiveView(status, view.hold)
    }
    let recording = local(Pictures.recording(troubled: true))
    let call = local(Pictures.call)
    let wave = (0..<80).map { 0.5 + 0.5 * Double($0 % 20) / 20 }
    var sections: [String] = []
    for width in [20, 40, 80, 200] {
      let size = "\(width) columns"
      func add(_ title: String, _ lines: [String]) {
        sections.append("== \(title), \(size)\n" + lines.map { $0 + "\n" }.joined())
      }
      func add(_ title: String, _ hint: KeyHint, _ lines: [String]) {
        add(title, hint.below(lines, width: width - 1, rows: 24))
      }
      add(
        "recorder start --foreground", .recording(isJob: true),
        recording.lines(width: width - 1, rows: 24, .plain))
      add(
        "recorder start --foreground --meeting", .recording(isJob: true),
        call.lines(width: width - 1, rows: 24, .plain))
      add("recorder meter", .watching, Pictures.meter.lines(width: width - 1, rows: 24, .plain))
      let sounds = LivePage(views: Pictures.sounds.map(LiveView.init), nothing: "")
      add(
        "recorder sound status --watch", .watching,
        sounds.lines(width: width - 1, rows: 23, .plain))
      let play = LiveView(Pictures.sounds[0])
      add(
        "recorder play ./talk.flac", .playing,
        [play.line(width: width - 1, named: true, .plain)])
      var list = takes.list()
      let cells = PickerList.thumbnailWidth(width - 1)
      let line = WaveformText.line(of: wave, width: cells)
      add(
        "recorder play",
        list.lines(
          width: width - 1, rows: 24, thumbnails: cells > 0 ? [1: line, 2: line] : [:], .plain))
    }
    let lines = sections.joined(separator: "\n").split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
