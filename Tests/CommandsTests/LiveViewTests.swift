import Audio
import Control
import Foundation
import Testing

@testable import Commands

/// Sample facts for the views: a recording, a meter and two sounds.
enum Pictures {
  static func recording(
    channels: Int = 2, troubled: Bool = false, tracks: [Track]? = nil
  ) -> (RecordingStatus, PeakHold) {
    let stream = StreamFormat(
      rate: .hz48000, channels: ChannelCount(channels) ?? .stereo, sample: .int16)
    var facts = TakeFacts(
      identifier: "0123456789abcdef", name: "meeting", device: "hw:0", stream: stream, format: .wav)
    facts.path = "/home/alex/Recordings/2026-03-01/meeting with the whole team.wav"
    facts.frames.captured = FrameCount(48_000 * 3_723)
    facts.frames.lost = troubled ? 480 : 0
    facts.highestPeak = 0.5
    facts.bytes = 714_816_044
    facts.marks = 2
    facts.tracks = tracks ?? facts.tracks
    var status = RecordingStatus(facts, state: .recording, process: 1)
    status.channels = (0..<channels).map { channel in
      Level(peak: 0.3 / Double(channel + 1), rms: 0.1, clipped: 0)
    }
    status.level = Level(peak: 0.3, rms: 0.1, clipped: 0)
    status.totalClipped = troubled ? 12 : 0
    status.freeBytes = 12_884_901_888
    status.freeSeconds = 67_108
    status.accessUntil = .seconds(1_772_375_400)
    var hold = PeakHold()
    hold.hold(
      status.meters.map { Level(peak: $0.peak * 1.6, rms: 0, clipped: 0) }, at: .seconds(1))
    hold.hold(status.meters, at: .seconds(2))
    return (status, hold)
  }

  static var meter: LiveView {
    let channels = [Level(peak: 0.1, rms: 0.05, clipped: 0), Level(peak: 1, rms: 0.5, clipped: 3)]
    var hold = PeakHold()
    hold.hold(channels, at: .zero)
    return LiveView(
      of: "hw:CARD=USB", elapsed: .milliseconds(12_345), channels[1], channels, hold, lost: 0,
      clipped: 3, accessUntil: nil)
  }

  static var sounds: [SoundStatus] {
    var talk = SoundStatus(
      "/home/alex/talk.flac", output: "default", state: .playing, position: .seconds(75),
      duration: .seconds(300), path: "/home/alex/talk.flac")
    talk.volume = 0.8
    talk.peak = Decibels(-9.5)
    var umbrella = SoundStatus(
      "umbrella", output: "hw:1", state: .paused, position: .milliseconds(500),
      duration: .seconds(2), path: "/usr/share/recorder/umbrella.flac")
    umbrella.playsLeft = nil
    return [talk, umbrella]
  }

  /// A meeting with two tracks of two channels.
  static var call: (RecordingStatus, PeakHold) {
    let tracks = [
      Track(name: "mic", device: "default", channels: 0..<2),
      Track(name: "far", device: "output", channels: 2..<4),
    ]
    return recording(channels: 4, tracks: tracks)
  }

  static var callView: LiveView { LiveView(call.0, call.1) }

  static var recordingView: LiveView {
    let (status, hold) = recording(troubled: true)
    return LiveView(status, hold)
  }
}

@Suite("The live view")
struct LiveViewTests {
  private static let views: [LiveView] =
    [Pictures.recordingView, Pictures.callView, Pictures.meter] + Pictures.sounds.map(LiveView.init)
    + [LiveView(Pictures.recording(channels: 32).0, PeakHold())]

  @Test("No line is wider than the window, and there are no more lines than rows", arguments: views)
  func fits(view: LiveView) {
    for width in [1, 5, 10, 19, 20, 39, 40, 41, 59, 60, 80, 120, 200, 500] {
      for rows in [1, 2, 3, 4, 5, 6, 24, Int.max] {
        let lines = view.lines(width: width, rows: rows, .plain)
        #expect(!lines.isEmpty && lines.count <= rows)
        #expect(lines.allSatisfy { columns(of: $0) <= width }, "\(width): \(lines)")
      }
    }
  }

  @Test("Colors do not change the columns", arguments: views, [20, 40, 80, 200])
  func colors(view: LiveView, width: Int) {
    let colored = view.lines(width: width, rows: 24, .colored).map { line in
      line.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
    }
    #expect(colored == view.lines(width: width, rows: 24, .plain))
  }

  @Test("A narrow or low window shows one line", arguments: [(35, 24), (200, 3), (20, 5)])
  func single(width: Int, rows: Int) {
    let lines = Pictures.recordingView.lines(width: width, rows: rows, .plain)
    #expect(lines.count == 1 && lines[0].contains("REC"))
  }

  @Test("Each channel has a bar; with too few rows, one bar shows the loudest channel")
  func channels() {
    let view = LiveView(Pictures.recording(channels: 32).0, PeakHold())
    let bars = view.lines(width: 80, rows: 40, .plain).filter { $0.contains("[") }
    #expect(bars.count == 32 && bars[31].hasPrefix("32 ["))
    let few = view.lines(width: 80, rows: 10, .plain).filter { $0.contains("[") }
    #expect(few.count == 1 && few[0].hasPrefix("1-32 [###") && few[0].contains("-10.5 dB"))
  }

  @Test("Each track has a bar with its name; with too few rows, one bar shows the loudest track")
  func tracks() {
    func bars(_ rows: Int) -> [String] {
      Pictures.callView.lines(width: 80, rows: rows, .plain).filter { $0.contains("[") }
    }
    #expect(bars(24).count == 2)
    #expect(bars(24)[0].hasPrefix("mic [##") && bars(24)[0].contains("-10.5 dB, max  -6.4 dB"))
    #expect(bars(24)[1].hasPrefix("far [##") && bars(24)[1].contains("-20.0 dB, max -15.9 dB"))
    let tracks = (0..<3).map { Track(name: "t\($0)", device: "default", channels: $0..<($0 + 1)) }
    let (status, hold) = Pictures.recording(channels: 3, tracks: tracks)
    let few = LiveView(status, hold).lines(width: 80, rows: 4, .plain)
    #expect(few[1].hasPrefix("all [##") && few[1].contains("-10.5 dB"), "\(few)")
  }

  @Test("A mix, and a track outside of the channels, have a bar for each channel")
  func mixed() {
    for channels in [nil, 1..<3] {
      let mic = Track(name: "mic", device: "default", channels: channels)
      let (status, hold) = Pictures.recording(tracks: [mic])
      let lines = LiveView(status, hold).lines(width: 80, rows: 24, .plain)
      #expect(lines.contains { $0.hasPrefix("2 [##") }, "\(lines)")
    }
  }

  @Test("Lost frames and clipped samples are alarms, also in the one-line view")
  func alarms() {
    let lines = Pictures.recordingView.lines(width: 80, rows: 24, .colored).joined()
    #expect(lines.contains("\u{1B}[1;31mlost 480\u{1B}[0m"))
    #expect(lines.contains("\u{1B}[1;31mclipped 12\u{1B}[0m"))
    #expect(Pictures.recordingView.line(width: 60, .plain).contains("lost 480  clipped 12"))
  }

  @Test(
    "The device and the format are shown from 60 columns on", arguments: [(59, false), (60, true)])
  func settings(width: Int, isShown: Bool) {
    let (status, hold) = Pictures.recording()
    let text = LiveView(status, hold).lines(width: width, rows: 24, .plain).joined(separator: "\n")
    for setting in ["device hw:0", "48000 Hz, stereo, S16", "format WAV"] {
      #expect(text.contains(setting) == isShown, "\(text)")
    }
    var converted = status
    converted.facts.file = StreamFormat(rate: .hz44100, channels: .mono, sample: .int16)
    let words = LiveView(converted, hold).lines(width: 120, rows: 24, .plain).joined()
    #expect(words.contains("format WAV, 44100 Hz, mono, S16"))
  }

  @Test("A session that reports no levels per channel has one bar")
  func former() {
    var (status, _) = Pictures.recording()
    status.channels = []
    let bars = LiveView(status, PeakHold()).lines(width: 80, rows: 24, .plain)
      .filter { $0.contains("[") }
    #expect(bars.count == 1 && bars[0].hasPrefix("[##"))
  }

  @Test("A page shows views while they fit, then single lines, then the number of hidden lines")
  func page() {
    let views = (0..<5).map { _ in Pictures.recordingView }
    let page = LivePage(views: views, notes: ["note"], nothing: "Nothing.")
    #expect(page.lines(width: 80, rows: 100, .plain).filter { $0.contains("] ") }.count == 10)
    let single = page.lines(width: 80, rows: 6, .plain)
    #expect(single.count == 6 && single[0].hasPrefix("meeting REC ") && single[5] == "note")
    let narrow = page.lines(width: 30, rows: 100, .plain)
    #expect(narrow.prefix(5).allSatisfy { $0.hasPrefix("meeting REC ") }, "\(narrow)")
    #expect(page.lines(width: 80, rows: 4, .plain).last == "… and 3 more lines")
    #expect(LivePage(views: [], nothing: "Nothing.").lines(width: 4, rows: 1, .plain) == ["Not…"])
    let noted = LivePage(views: [], notes: ["  talk: a long warning of many words"], nothing: "")
    #expect(
      noted.lines(width: 20, rows: 9, .plain) == [
        "  talk: a long", "  warning of many", "  words",
      ])
  }
}

@Suite("Keys below a view")
struct KeyHintTests {
  @Test("The keys are in one line below the view, shortened in a narrow window")
  func brief() {
    let hint = KeyHint.recording(isJob: true)
    let all = "q stops, space pauses, m marks, Ctrl-Z continues in the background"
    #expect(hint.below(["view"], width: 79, rows: 2) == ["view", all])
    let some = "q stops, space pauses, ? for keys"
    #expect(hint.below(["view"], width: 39, rows: 9) == ["view", some])
    #expect(hint.below(["view"], width: 19, rows: 9) == ["view", "q stops, ? for keys"])
    #expect(hint.below(["view"], width: 79, rows: 1) == ["view"])
    #expect(
      KeyHint.recording(isJob: false).below([], width: 79, rows: 1).first?.contains("Z") == false)
  }

  @Test("The keys ? and h show all keys, and hide them again", arguments: ["?", "h"])
  func whole(key: Character) {
    var hint = KeyHint.recording(isJob: true)
    #expect(hint.take([.character(key), .character("q")]) == [.character("q")])
    for width in [19, 39, 79] {
      let lines = hint.below(["view"], width: width, rows: 20)
      #expect(lines.first == "view" && lines.allSatisfy { $0.count <= width })
      #expect(lines.joined(separator: " ").contains("m marks"), "\(lines)")
    }
    #expect(hint.below(["view"], width: 79, rows: 1).first?.hasPrefix("q stops") == true)
    _ = hint.take([.character(key)])
    #expect(hint.below(["view"], width: 39, rows: 9).count == 2)
  }

  @Test("The line of a sound shows its volume at any width", arguments: [34, 39, 60, 79])
  func volume(width: Int) {
    let line = LiveView(Pictures.sounds[0]).line(width: width, named: true, .plain)
    #expect(line.contains("volume 80%") && columns(of: line) <= width, "\(line)")
  }
}

@Suite("Held peaks")
struct PeakHoldTests {
  private func level(_ peak: Double) -> Level { Level(peak: peak, rms: 0, clipped: 0) }

  @Test("A peak is held for two seconds, the highest one permanently")
  func held() {
    var hold = PeakHold()
    hold.hold([level(0.5), level(0.1)], at: .zero)
    hold.hold([level(0.1), level(0.2)], at: .milliseconds(1_900))
    #expect(hold.recent == [0.5, 0.2] && hold.highest == [0.5, 0.2])
    hold.hold([level(0.1), level(0.1)], at: .seconds(2))
    #expect(hold.recent == [0.1, 0.2] && hold.highest == [0.5, 0.2])
  }

  @Test("A pause keeps the peaks, and its view has no bars")
  func paused() {
    var (status, hold) = Pictures.recording()
    let before = hold
    status.state = .paused
    hold.hold(status.meters, at: .seconds(10))
    let view = LiveView(status, hold)
    #expect(hold == before && view.bars.isEmpty)
    for width in [20, 40, 80] {
      let lines = view.lines(width: width, rows: 10, .plain)
      #expect(lines.allSatisfy { !$0.contains("[") && !$0.contains("silence") }, "\(lines)")
    }
  }

  @Test("A change in the number of channels resets the peaks")
  func channels() {
    var hold = PeakHold()
    hold.hold([level(0.5), level(0.1)], at: .zero)
    hold.hold([level(0.2)], at: .zero)
    #expect(hold.recent == [0.2] && hold.highest == [0.2])
  }
}

@Suite("Keys of a terminal")
struct KeyTests {
  static let keys: [(String, [Key])] = [
    ("q", [.character("q")]), (" é", [.character(" "), .character("é")]), ("\u{1B}", [.escape]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
    ("\u{1B}OA\u{1B}OH\u{1B}OF", [.up, .home, .end]),
    ("\u{1B}[5~\u{1B}[6~\u{1B}[1~\u{1B}[4~\u{1B}[3~", [.pageUp, .pageDown, .home, .end, .delete]),
    ("\u{1B}[1;5Cx", [.right, .character("x")]), ("\u{1B}[99zq", [.character("q")]),
    ("\r\n\u{7F}\u{8}\t\u{15}", [.enter, .enter, .backspace, .backspace, .tab, .control("u")]),
    ("\u{1B}[", []), ("a\u{1B}[Ab", [.character("a"), .up, .character("b")]),
    ("\u{1B}\u{1B}[A", [.escape, .up]),
  ]

  @Test("Bytes become keys, and unknown sequences are ignored", arguments: keys)
  func read(bytes: String, keys: [Key]) { #expect(Key.all(in: Array(bytes.utf8)) == keys) }
}
