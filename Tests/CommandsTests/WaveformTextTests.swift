import Audio
import JSON
import Pictures
import Testing

@testable import Commands

@Suite("A waveform in the terminal")
struct WaveformTextTests {
  /// A sound of twelve seconds that rises from silence to full scale, with one channel or two.
  private func overview(channels: Int = 1, columns: Int, seconds: Int = 12) -> Overview {
    let levels = (0..<columns).map { column in
      let peak = Double(column + 1) / Double(columns)
      return Level(peak: peak, rms: peak / 2, clipped: column + 1 == columns ? 3 : 0)
    }
    return Overview(
      [[Level]](repeating: levels, count: channels), of: 0..<FrameCount(48_000 * seconds),
      at: .hz48000)
  }

  private func picture(
    _ overview: Overview, width: Int, height: Int = 4,
    marks: [(Int, String)] = [(144_000, "intro"), (480_000, "a\u{1B}[2J\nb")],
    gaps: [(Int, String)] = [(288_000, "480 frames lost (xrun)")]
  ) -> String {
    let axis = TimeAxis(
      overview.range, at: overview.rate, marks: marks.map { LabelledFrame(FrameCount($0.0), $0.1) },
      gaps: gaps.map { LabelledFrame(FrameCount($0.0), $0.1) })
    return WaveformText(overview: overview, axis: axis, width: width, height: height).text(.plain)
  }

  @Test("The picture has as many columns as the terminal", arguments: [40, 80, 200])
  func widths(width: Int) {
    let text = picture(overview(columns: 2 * width), width: width)
    #expect(text == Self.expected[width], "\n\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
  }

  @Test("Control characters in a mark do not reach the terminal, and no line is too wide")
  func narrow() {
    let text = picture(overview(channels: 2, columns: 7), width: 20)
    #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 20 }, "\n\(text)")
    #expect(text.contains("a\\x1B"))
  }

  @Test("The line about the sound is wrapped at the width of the picture")
  func facts() throws {
    let sound = overview(channels: 4, columns: 40)
    let axis = TimeAxis(sound.range, at: sound.rate, marks: [], gaps: [])
    let waveform = WaveformText(overview: sound, axis: axis, width: 20, height: 1)
    let channels = try #require(ChannelCount(4))
    let text = ShowReport(path: "a.wav", channels: channels, picture: waveform).text(.plain)
    #expect(
      text.hasPrefix("a.wav\n0:00.000 to\n0:12.000, 48000 Hz,\n4 channels\n"), "\n\(text)")
  }

  @Test("An empty sound, one sample and a whole day are drawn")
  func extremes() {
    let none = Overview([[]], of: 0..<0, at: .hz48000)
    #expect(picture(none, width: 80) == "It contains no audio.\n")
    let one = Overview([[Level(peak: 1, rms: 1, clipped: 0)]], of: 0..<1, at: .hz48000)
    let text = picture(one, width: 20, marks: [], gaps: [])
    #expect(text.hasPrefix(String(repeating: "⣿", count: 20) + "\n"), "\n\(text)")
    let day = picture(overview(columns: 160, seconds: 86_400), width: 80, marks: [], gaps: [])
    #expect(day.contains("0:00") && day.contains("20:00:00"), "\n\(day)")
  }

  @Test("A mark at the end of the file is drawn in the last column and listed")
  func lastMark() {
    let text = picture(
      overview(columns: 80, seconds: 12), width: 40, marks: [(576_000, "end")],
      gaps: [(576_001, "outside")])
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.contains(String(repeating: " ", count: 39) + "^"), "\n\(text)")
    #expect(lines.contains("^ 0:12.000 end") && !text.contains("outside"), "\n\(text)")
    let empty = TimeAxis(0..<0, at: .hz48000, marks: [LabelledFrame(0, "only")], gaps: [])
    #expect(empty.markers(width: 20) == "^")
  }

  @Test("A take with tracks has one waveform for each, below its name", arguments: [40, 80])
  func tracks(width: Int) throws {
    var overview = overview(channels: 4, columns: 2 * width)
    overview.channels[0] = overview.channels[0].map { _ in .silence }
    overview.channels[1] = overview.channels[0]
    overview.tracks = [
      Track(name: "mic", device: "default", channels: 0..<2),
      Track(name: "far", device: "output", channels: 2..<4),
    ]
    let lines = picture(overview, width: width, height: 2, gaps: []).split(separator: "\n")
    #expect(lines[0] == "mic" && lines[3] == "far", "\(lines)")
    #expect(!lines[1].contains("⣿") && lines[4].hasSuffix("⣿") && lines[5].hasSuffix("⣿"))
    #expect(lines[7].hasPrefix("0:00") && lines.allSatisfy { $0.count <= width }, "\(lines)")
    let axis = TimeAxis(overview.range, at: overview.rate, marks: [], gaps: [])
    let text = WaveformText(overview: overview, axis: axis, width: width, height: 2)
    var json = JSONObject()
    text.add(to: &json)
    #expect(json["channels"]?.array?.count == 4)
    #expect(json["tracks"]?.array?.compactMap { $0["name"]?.string } == ["mic", "far"])
    #expect(json["tracks"]?.array?.compactMap { $0["firstChannel"]?.integer } == [1, 3])
  }

  @Test("A gap of a track is a line in the row of that track, also if it begins before the picture")
  func trackGap() {
    var overview = overview(channels: 2, columns: 80)
    overview.tracks = [
      Track(name: "mic", device: "default", channels: 0..<1),
      Track(name: "far", device: "output", channels: 1..<2),
    ]
    func lines(from start: Int) -> [Substring] {
      let axis = TimeAxis(
        FrameCount(start)..<576_000, at: .hz48000, marks: [],
        gaps: [LabelledFrame(144_000, "silent", track: "far", length: 144_000)])
      let picture = WaveformText(overview: overview, axis: axis, width: 40, height: 1)
      return picture.text(.plain).split(separator: "\n")
    }
    let whole = lines(from: 0)
    #expect(!whole[1].contains("x") && whole[3].dropFirst(10).hasPrefix("xxxxxxxxxx"), "\(whole)")
    #expect(whole[3].count { $0 == "x" } == 10 && whole[4].contains("x"))
    #expect(whole.contains("x 0:03.000 far: silent"))
    let part = lines(from: 216_000)
    #expect(part[3].hasPrefix("xxxxxxxx") && part.contains("x 0:03.000 far: silent"), "\(part)")
  }

  @Test("Clipped columns are red on a color terminal")
  func colors() {
    let overview = overview(columns: 80)
    let axis = TimeAxis(overview.range, at: overview.rate, marks: [], gaps: [])
    let text = WaveformText(overview: overview, axis: axis, width: 40, height: 1).text(.colored)
    #expect(text.contains("\u{1B}[1;31m⣿\u{1B}[0m\n"))
  }

  // swift-format-ignore
  private static let expected: [Int: String] = [
    40: """
      ⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⣀⣀⣀⣀⣀⣤⣤⣤⣤⣤⣶⣶⣶⣶⣶⣿⣿⣿
      ⣀⣀⣀⣀⣀⣀⣀⣤⣤⣤⣤⣤⣶⣶⣶⣶⣶⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
      ⠉⠉⠉⠉⠉⠉⠉⠛⠛⠛⠛⠛⠿⠿⠿⠿⠿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
      ⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠉⠉⠉⠉⠉⠛⠛⠛⠛⠛⠿⠿⠿⠿⠿⣿⣿⣿
                ^         x            ^     !
      0:00  0:02   0:04   0:06  0:08   0:10
      ^ 0:03.000 intro
      x 0:06.000 480 frames lost (xrun)
      ^ 0:10.000 a\\x1B[2J\\nb
      ! 3 samples clipped

      """,
    80: """
      ⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣠⣤⣤⣤⣤⣤⣤⣤⣤⣤⣴⣶⣶⣶⣶⣶⣶⣶⣶⣶⣾⣿⣿⣿⣿⣿
      ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣠⣤⣤⣤⣤⣤⣤⣤⣤⣤⣴⣶⣶⣶⣶⣶⣶⣶⣶⣶⣾⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
      ⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠙⠛⠛⠛⠛⠛⠛⠛⠛⠛⠻⠿⠿⠿⠿⠿⠿⠿⠿⠿⢿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
      ⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠈⠉⠉⠉⠉⠉⠉⠉⠉⠉⠙⠛⠛⠛⠛⠛⠛⠛⠛⠛⠻⠿⠿⠿⠿⠿⠿⠿⠿⠿⢿⣿⣿⣿⣿⣿
                          ^                   x                         ^            !
      0:00  0:01   0:02   0:03  0:04   0:05   0:06  0:07   0:08   0:09  0:10   0:11
      ^ 0:03.000 intro
      x 0:06.000 480 frames lost (xrun)
      ^ 0:10.000 a\\x1B[2J\\nb
      ! 3 samples clipped

      """,
    200: """
      ⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
      ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
      ⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
      ⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⠿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
                                                        ^                                                 x                                                                 ^                                !
      0:00            0:01             0:02             0:03            0:04             0:05             0:06            0:07             0:08             0:09            0:10             0:11
      ^ 0:03.000 intro
      x 0:06.000 480 frames lost (xrun)
      ^ 0:10.000 a\\x1B[2J\\nb
      ! 3 samples clipped

      """,
  ]
}
