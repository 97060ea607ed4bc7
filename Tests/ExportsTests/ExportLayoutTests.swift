import Audio
import Files
import JSON
import Support
import Testing

@testable import Exports

@Suite("The layout of an export")
struct ExportLayoutTests {
  private func source(
    _ frames: Int = 480_000, sample: SampleFormat? = .int24Packed, channels: ChannelCount = .stereo,
    marks: [Int] = []
  ) -> ExportSource {
    var source = ExportSource(
      rate: .hz48000, channels: channels, sample: sample, frames: FrameCount(frames))
    source.marks = marks.map { SoundFileCue(at: FrameCount($0), label: "at \($0)") }
    return source
  }

  @Test(
    "The samples are those of the source, or the nearest that the format has",
    arguments: [
      (FileFormat.wav, SampleFormat?.some(.int16), SampleFormat.int16),
      (.wav, .float32, .float32),
      (.wav, .float64, .float32), (.wav, nil, .int16), (.flac, .int32, .int24Packed),
      (.flac, .float32, .int24Packed), (.aiff, .int32, .int32), (.mp3, .int16, .float32),
      (.w64, .int24Packed, .int24Packed), (.opus, .int24Packed, .float32),
    ])
  func samples(format: FileFormat, source sample: SampleFormat?, file: SampleFormat) throws {
    let layout = try ExportLayout(ExportPlan(format), source(sample: sample))
    #expect(layout.stream.sample == file)
    #expect(layout.keepsIntegers == [.int16, .int24Packed, .int32].contains(sample))
  }

  @Test(
    "The rate is that of the source or the wanted one, or the next that the format has",
    arguments: [
      (FileFormat.mp3, 44_100, 44_100), (.mp3, 96_000, 48_000), (.mp3, 9_000, 11_025),
      (.opus, 44_100, 48_000), (.opus, 8_000, 8_000), (.wav, 192_000, 192_000),
      (.ogg, 384_000, 192_000),
    ])
  func rates(format: FileFormat, given: Int, file: Int) throws {
    var source = source()
    source.rate = try #require(SampleRate(given))
    #expect(try ExportLayout(ExportPlan(format), source).stream.rate.hertz == file)
    var plan = ExportPlan(format)
    plan.rate = source.rate
    #expect(try ExportLayout(plan, self.source()).stream.rate.hertz == file)
  }

  @Test("A mark at the beginning of a piece labels it, and does not split it")
  func pieces() throws {
    var plan = ExportPlan(.wav)
    plan.splitsAtMarks = true
    plan.from = .seconds(1)
    plan.to = .seconds(9)
    let marks = [10, 48_000, 96_000, 96_000, 200_000, 432_000]
    let layout = try ExportLayout(plan, source(marks: marks))
    #expect(layout.pieces.map(\.range.lowerBound.value) == [48_000, 96_000, 200_000])
    #expect(layout.pieces.last?.range.upperBound == 432_000)
    #expect(layout.pieces.map(\.label) == ["at 48000", "at 96000", "at 200000"])
    #expect(layout.pieces.map(\.marks.count) == [1, 2, 1])
    #expect(layout.pieces.allSatisfy { $0.marks.allSatisfy { $0.frame == 0 } })
  }

  @Test("Marks move with the rate and with the start of the export")
  func marks() throws {
    var plan = ExportPlan(.wav)
    plan.rate = .hz44100
    plan.from = .seconds(1)
    let layout = try ExportLayout(plan, source(marks: [96_000]))
    #expect(layout.pieces.first?.marks.first?.frame == 44_100)
    #expect(layout.range == 44_100..<441_000)
  }

  @Test("A part that would end after the sound ends with it, and has the length of the sound")
  func exceeded() throws {
    var plan = ExportPlan(.wav)
    (plan.from, plan.to) = (.seconds(9), .seconds(11))
    let layout = try ExportLayout(plan, source())
    #expect(layout.range == 432_000..<480_000 && layout.exceededLength == .seconds(10))
    plan.to = .seconds(10)
    #expect(try ExportLayout(plan, source()).exceededLength == nil)
    plan.to = nil
    #expect(try ExportLayout(plan, source()).exceededLength == nil)
  }

  @Test("An export that its format cannot store is refused")
  func refusals() throws {
    var plan = ExportPlan(.mp3)
    let four = source(channels: ChannelCount(4) ?? .mono)
    #expect(throws: ExportRefusal.channels(.mp3, four.channels, tracks: [])) {
      try ExportLayout(plan, four)
    }
    #expect(
      throws: ExportRefusal.channels(.mp3, try #require(ChannelCount(3)), tracks: ["mic", "far"])
    ) { try ExportLayout(plan, tracks()) }
    plan.channels = .mono
    #expect(throws: Never.self) { try ExportLayout(plan, four) }
    plan.rate = SampleRate(96_000)
    #expect(try ExportLayout(plan, four).stream.rate == SampleRate(48_000))
    plan.rate = nil
    plan.from = .seconds(10)
    #expect(throws: ExportRefusal.beyondEnd(length: .seconds(10))) {
      try ExportLayout(plan, four)
    }
    for from in [nil, Duration.zero, .microseconds(1)] {
      (plan.from, plan.to) = (from, .microseconds(10))
      #expect(throws: ExportRefusal.emptyPart) { try ExportLayout(plan, four) }
    }
  }

  @Test("An empty sound is refused by each format whose files need a frame")
  func emptyFile() throws {
    for format in [FileFormat.flac, .ogg, .opus, .mp3] {
      #expect(throws: ExportRefusal.noFrames(format)) {
        try ExportLayout(ExportPlan(format), source(0))
      }
      #expect(throws: Never.self) { try ExportLayout(ExportPlan(format), source(1_000)) }
    }
    for format in [FileFormat.wav, .aiff, .caf, .w64] {
      #expect(throws: Never.self) { try ExportLayout(ExportPlan(format), source(0)) }
    }
  }

  @Test("An AIFF file beyond 4 GB is refused, unless silence is still to be removed")
  func large() throws {
    let frames = Int(UInt32.max) / 6
    let large = source(frames)
    var plan = ExportPlan(.aiff)
    #expect(throws: ExportRefusal.tooLarge(.aiff)) { try ExportLayout(plan, large) }
    #expect(throws: Never.self) { try ExportLayout(ExportPlan(.wav), large) }
    #expect(throws: Never.self) { try ExportLayout(plan, source(frames - 1_000)) }
    plan.trims = true
    #expect(throws: Never.self) { try ExportLayout(plan, large) }
    #expect(throws: ExportRefusal.tooLarge(.aiff)) {
      try ExportLayout(plan, large, part: 0..<FrameCount(frames))
    }
    plan.trims = false
    plan.sample = .int16
    #expect(throws: Never.self) { try ExportLayout(plan, large) }
  }

  @Test("A mark at the end of the source is kept, but no file begins there")
  func lastMark() throws {
    let marked = source(marks: [48_000, 480_000])
    var plan = ExportPlan(.wav)
    #expect(try ExportLayout(plan, marked).pieces.first?.marks.map(\.frame) == [48_000, 480_000])
    plan.splitsAtMarks = true
    let pieces = try ExportLayout(plan, marked).pieces
    #expect(pieces.map { $0.marks.map(\.frame) } == [[], [0, 432_000]])
    plan.splitsAtMarks = false
    plan.to = .seconds(1)
    #expect(try ExportLayout(plan, marked).pieces.first?.marks.isEmpty == true)
  }

  @Test("A mark at the beginning labels a part, but a pause does not, and a whole take is no part")
  func labels() throws {
    var marked = source(marks: [0, 48_000])
    marked.marks.append(SoundFileCue(at: 96_000, label: "three"))
    marked.marks.insert(SoundFileCue(at: 96_000, label: "paused for 0:03"), at: 0)
    var plan = ExportPlan(.wav)
    #expect(try ExportLayout(plan, marked).pieces.map(\.label) == [nil])
    plan.splitsAtMarks = true
    let labels = try ExportLayout(plan, marked).pieces.map(\.label)
    #expect(labels == ["at 0", "at 48000", "three"])
  }

  @Test("A gap of one frame is not a mark of the user")
  func shortGap() throws {
    var gapped = source()
    for label in ["1 frame lost (overrun)", "21 frames lost (overrun)"] {
      gapped.marks.append(SoundFileCue(at: 48_000, label: label))
    }
    var plan = ExportPlan(.wav)
    #expect(try ExportLayout(plan, gapped).marks == 0)
    plan.splitsAtMarks = true
    #expect(throws: ExportRefusal.noMarks) { try ExportLayout(plan, gapped) }
  }

  private func tracks() throws -> ExportSource {
    var source = source(channels: try #require(ChannelCount(3)))
    source.tracks = [
      Track(name: "mic", device: "a", channels: 0..<1),
      Track(name: "far", device: "b", channels: 1..<3),
    ]
    return source
  }

  @Test(
    "One track keeps its samples, and a mix has the channels of the widest track",
    arguments: [("mic", 1, true), ("far", 2, true), (nil, 2, false)] as [(String?, Int, Bool)])
  func chosen(track: String?, channels: Int, keeps: Bool) throws {
    var plan = ExportPlan(.wav)
    (plan.track, plan.mixes) = (track, track == nil)
    let layout = try ExportLayout(plan, tracks())
    #expect(layout.stream.channels.value == channels && layout.keepsIntegers == keeps)
    plan.channels = .mono
    #expect(try ExportLayout(plan, tracks()).stream.channels == .mono)
  }

  @Test("A take with a file for each track ends with the shortest file, and has no later marks")
  func shortest() {
    let files = [source(channels: .mono, marks: [48_000, 96_000]), source(48_000)]
    let whole = ExportSource(
      files, of: ["mic", "far"].map { Track(name: $0, device: "d", channels: 0..<1) })
    #expect(whole.frames == 48_000 && whole.channels.value == 3)
    #expect(whole.marks.map(\.frame) == [48_000])
  }

  @Test("A track that does not exist is refused with the names of those that do")
  func noTrack() throws {
    var plan = ExportPlan(.wav)
    plan.track = "room"
    #expect(throws: ExportRefusal.noTrack("room", has: ["mic", "far"])) {
      try ExportLayout(plan, tracks())
    }
    (plan.track, plan.mixes) = (nil, true)
    #expect(throws: ExportRefusal.noTrack(nil, has: [])) { try ExportLayout(plan, source()) }
  }

  @Test("Tracks in a sidecar are ignored if the file does not have their channels")
  func foreignTracks() {
    let json = { (first: Int, name: JSONValue) -> JSONValue in
      [
        "frames": ["onDisk": 480_000], "device": "d",
        "tracks": [["name": name, "device": "d", "firstChannel": first.json, "channels": 1]],
      ]
    }
    var taken = source()
    taken.add(sidecar: json(2, "mic"))
    #expect(taken.tracks == [Track(name: "mic", device: "d", channels: 1..<2)])
    for wrong in [json(3, "mic"), json(0, "mic"), json(1, "\u{1B}[2J")] {
      var other = source()
      other.add(sidecar: wrong)
      #expect(other.tracks.isEmpty)
    }
  }

  @Test("A play mixes the tracks of one file, but no single track and no track with its own file")
  func played() throws {
    let scratch = try ScratchDirectory()
    let mic = #"{"name":"mic","device":"d","firstChannel":1,"channels":1"#
    let far = #"{"name":"far","device":"e","firstChannel":2,"channels":2"#
    func channels(_ tracks: String) throws -> [Int] {
      let path = try scratch.write(#"{"device":"d","tracks":[\#(tracks)]}"#, to: "a.wav.json")
      return ExportSource.trackChannels(inSidecar: path).map(\.value)
    }
    #expect(try channels("\(mic)},\(far)}") == [1, 2])
    #expect(try channels("\(mic)}").isEmpty)
    #expect(
      try channels(#"\#(mic),"file":"a-mic.wav"},\#(far),"file":"a-far.wav"}"#).isEmpty)
    #expect(try channels(#"\#(mic)},{"name":"far","device":"e"}"#).isEmpty)
    #expect(ExportSource.trackChannels(inSidecar: scratch.path("b.wav.json")).isEmpty)
  }

  @Test("A sound without frames is exported without frames")
  func empty() throws {
    #expect(try ExportLayout(ExportPlan(.wav), source(0)).range == 0..<0)
  }

  @Test("A sidecar adds marks and texts, unless it belongs to another take")
  func sidecar() throws {
    let json: JSONValue = [
      "frames": ["onDisk": 480_000], "title": "Talk", "began": "2026-03-01T18:00:00.000000Z",
      "events": [
        ["frame": 5, "event": "mark", "text": "one"], ["frame": 7, "event": "paused"],
      ],
    ]
    var taken = source()
    taken.add(sidecar: json)
    #expect(taken.marks == [SoundFileCue(at: 5, label: "one")])
    #expect(taken.tags == [.title: "Talk", .date: "2026-03-01T18:00:00Z"])
    var other = source(480_001)
    other.add(sidecar: json)
    #expect(other == source(480_001))
    var gapped = source()
    gapped.add(
      sidecar: [
        "frames": ["onDisk": 480_000], "rate": 96_000, "device": "d",
        "tracks": [
          [
            "name": "far", "device": "d", "firstChannel": 1, "channels": 1,
            "gaps": [["position": 9, "length": 7, "cause": "permission"]],
          ]
        ],
      ])
    #expect(gapped.deviceRate?.hertz == 96_000)
    #expect(gapped.tracks.first?.gaps == [Gap(position: 9, length: 7, cause: .permission)])
    var cued = source(marks: [9])
    cued.add(sidecar: json)
    #expect(cued.marks.map(\.frame) == [9])
  }
}
