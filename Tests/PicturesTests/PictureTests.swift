import Audio
import Foundation
import FoundationXML
import Testing

@testable import Commands
@testable import Pictures

@Suite("Pictures and pages of takes")
struct PictureTests {
  private static let foreign = "</title><script>alert('1')</script>\u{1B}[2J&\"\n\u{202E}"

  private func axis(
    _ frames: Int = 480_000, marks: [(Int, String)] = [(120_000, PictureTests.foreign)]
  ) -> TimeAxis {
    TimeAxis(
      0..<FrameCount(frames), at: .hz48000,
      marks: marks.map { LabelledFrame(FrameCount($0.0), $0.1) },
      gaps: [LabelledFrame(240_000, "480 frames lost (xrun)")])
  }

  /// A sound that rises to full scale, with a clipped last column.
  private func overview(channels: Int = 2, columns: Int = 100, frames: Int = 480_000) -> Overview {
    let levels = (0..<columns).map { column in
      let peak = Double(column + 1) / Double(columns)
      return Level(peak: peak, rms: peak / 2, clipped: column + 1 == columns ? 3 : 0)
    }
    return Overview(
      [[Level]](repeating: levels, count: channels), of: 0..<FrameCount(frames), at: .hz48000)
  }

  private func spectrogram(columns: Int = 50, rows: Int = 20) throws -> Spectrogram {
    try #require(
      Spectrogram(
        (0..<(columns * rows)).map { UInt8($0 % 256) }, rows: rows, of: 0..<480_000, at: .hz48000))
  }

  private func drawings(_ width: Int, _ height: Int) throws -> [SoundDrawing] {
    [
      SoundDrawing(.waveform(overview()), axis(), width: width, height: height),
      SoundDrawing(.spectrogram(try spectrogram()), axis(), width: width, height: height),
    ]
  }

  @Test("The peaks, the mean, clipped columns, marks and gaps have the correct positions")
  func waveform() throws {
    let pixels = SoundDrawing(
      .waveform(overview(channels: 1)), axis(), width: 100, height: 100, hasTimes: false
    ).pixels
    func colors(_ column: Int) -> [UInt8] { (0..<100).map { pixels.numbers[$0 * 100 + column] } }
    #expect(colors(9).count { $0 == Palette.Number.wave } == 4)
    #expect(colors(9).count { $0 == Palette.Number.loud } == 6)
    #expect(colors(79).count { $0 == Palette.Number.paper } == 20)
    #expect(colors(99).contains(Palette.Number.clip) && !colors(98).contains(Palette.Number.clip))
    #expect(colors(25).allSatisfy { $0 == Palette.Number.mark })
    #expect(colors(50).count { $0 == Palette.Number.gap } > 50)
    #expect(!colors(40).contains(Palette.Number.mark) && !colors(40).contains(Palette.Number.gap))
  }

  @Test("Stronger frequencies are lighter, and the lowest are at the bottom")
  func spectrum() throws {
    let drawing = SoundDrawing(
      .spectrogram(try spectrogram(columns: 1, rows: 256)), axis(marks: []), width: 40, height: 256,
      hasTimes: false)
    let pixels = drawing.pixels
    let column = (0..<256).map { pixels.numbers[$0 * 40 + 39] }
    #expect(zip(column, column.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(column[0] == Palette.Number.heat + UInt8(Palette.heatCount - 1))
    #expect(column[255] == Palette.Number.heat)
    let brightness = Palette.heat.map { Int($0.red) * 3 + Int($0.green) * 6 + Int($0.blue) }
    #expect(zip(brightness, brightness.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test(
    "Every size is a picture, and every sound",
    arguments: [(1, 1), (20, 20), (3, 200), (4_000, 2), (500, 300)])
  func sizes(width: Int, height: Int) throws {
    let none = SoundDrawing(
      .waveform(overview(columns: 0, frames: 0)), axis(0), width: width, height: height)
    let one = SoundDrawing(
      .waveform(overview(columns: 1, frames: 1)), axis(1), width: width, height: height)
    for drawing in try drawings(width, height) + [none, one] {
      let png = try PNGFile.bytes(of: drawing.pixels)
      #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
      #expect(drawing.pixels.numbers.count == width * height)
      #expect(XMLParser(data: Data(try drawing.svg(title: "a"))).parse())
    }
  }

  /// Two tracks: the first has the first channel, the second the other two channels.
  private var call: Overview {
    var overview = overview(channels: 3)
    overview.channels[0] = overview.channels[0].map { _ in .silence }
    overview.channels[2] = overview.channels[2].map { _ in .silence }
    overview.tracks = [
      Track(name: "mic", device: "default", channels: 0..<1),
      Track(name: "far-side", device: "output", channels: 1..<3),
    ]
    return overview
  }

  @Test("A take with tracks has one row for each, with its name")
  func tracks() throws {
    let rows = call.rows
    #expect(rows.count == 2 && rows[0].allSatisfy { $0 == .silence })
    #expect(rows[1].map(\.peak) == call.channels[1].map(\.peak))
    #expect(abs(rows[1][99].rms - 0.5 * 0.5.squareRoot()) < 1e-9 && rows[1][99].clipped == 3)
    let drawing = SoundDrawing(.waveform(call), axis(), width: 300, height: 214)
    let svg = String(decoding: try drawing.svg(title: "call"), as: UTF8.self)
    #expect(svg.components(separatedBy: "class=\"wave\"").count == 3)
    #expect(svg.contains("y=\"12\">mic</text>") && svg.contains("y=\"112\">far-side</text>"))
    #expect(XMLParser(data: Data(svg.utf8)).parse())
    let pixels = drawing.pixels
    func row(_ row: Int) -> ArraySlice<UInt8> {
      pixels.numbers[(row * 300)..<(row * 300 + 299)]
    }
    #expect(!row(25).contains(Palette.Number.loud) && row(140).contains(Palette.Number.loud))
    for top in [3, 103] {
      let letters = (top..<(top + 7)).map { Array(row($0).dropFirst(5).prefix(17)) }
      #expect(letters.joined().contains(Palette.Number.ink), "\(top)")
    }
  }

  @Test("Each character of a name has its own bitmap")
  func letters() {
    let bitmaps = "abcdefghijklmnopqrstuvwxyz0123456789-".map { character in
      var pixels = Pixels(width: 5, height: 7)
      pixels.write(String(character), at: 0, 0, Palette.Number.ink)
      return pixels.numbers
    }
    #expect(Set(bitmaps).count == bitmaps.count)
    #expect(bitmaps.allSatisfy { $0.contains(Palette.Number.ink) })
  }

  @Test("An SVG picture is valid XML with any text in its marks")
  func markup() throws {
    for drawing in try drawings(300, 200) {
      let svg = try drawing.svg(title: Self.foreign)
      let text = String(decoding: svg, as: UTF8.self)
      #expect(XMLParser(data: Data(svg)).parse())
      #expect(!text.contains("<script") && text.contains("&lt;script&gt;"))
      #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 0x202E })
    }
  }

  @Test(
    "Words are escaped",
    arguments: [
      ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"), ("x\u{1B}[0m", "x\\x1B[0m"), ("é", "é"), ("", ""),
    ])
  func words(words: String, text: String) { #expect(Markup.text(words) == text) }

  @Test(
    "A name in an address is only a name",
    arguments: [
      ("a b.wav", "a%20b.wav"), ("x#t=1?y%.wav", "x%23t%3D1%3Fy%25.wav"),
      ("../ä\"'<.wav", "../%C3%A4%22%27%3C.wav"),
      ("javascript:alert(1)", "javascript%3Aalert%281%29"),
    ])
  func addresses(path: String, address: String) { #expect(Markup.address(path) == address) }

  @Test(
    "A file is found from the directory of a page",
    arguments: [
      ("/a/b/c.wav", "/a/b", "c.wav"), ("/a/b/c.wav", "/a", "b/c.wav"),
      ("/a/b.wav", "/c/d", "../../a/b.wav"),
      ("/a.wav", "/", "a.wav"), ("/a/b.wav", "/a/b.wav", "../b.wav"),
    ])
  func relatives(path: String, directory: String, relative: String) {
    #expect(path.relative(from: directory) == relative)
  }

  @Test(
    "The kinds that browsers play are known by their first bytes",
    arguments: [
      ("RIFF....WAVE", "audio/wav"), ("fLaC", "audio/flac"), ("OggS", "audio/ogg"),
      ("ID3", "audio/mpeg"),
      ("RF64....WAVE", nil), ("FORM....AIFF", nil), ("caff", nil), ("", nil), ("RIFF....AVI ", nil),
    ] as [(String, String?)])
  func kinds(head: String, type: String?) { #expect(MediaType.of(Array(head.utf8)) == type) }

  @Test(
    "MPEG audio without a tag is known where it is layer III",
    arguments: [
      (0xFB, true), (0xF3, true), (0xE3, true), (0xFD, false), (0xF1, false),
    ])
  func layers(second: Int, isPlayed: Bool) {
    #expect((MediaType.of([0xFF, UInt8(second), 0x90, 0]) == "audio/mpeg") == isPlayed)
  }

  private func page(_ sound: PageSound, of overview: Overview? = nil) throws -> String {
    let drawings = try drawings(300, 200)
    let waveform = overview.map { SoundDrawing(.waveform($0), axis(), width: 300, height: 200) }
    let page = Page(
      title: Self.foreign, facts: [Self.foreign], waveform: waveform ?? drawings[0],
      spectrogram: drawings[1], sound: sound)
    return String(decoding: try page.bytes(), as: UTF8.self)
  }

  @Test("A page contains its sound, lists every mark and gap, and loads nothing")
  func embedded() throws {
    let text = try page(PageSound(.embedded(type: "audio/wav", [1, 2, 3]), from: 0))
    #expect(text.contains("src=\"data:audio/wav;base64,AQID\""))
    #expect(text.contains("default-src 'none'; img-src data:; media-src data:;"))
    #expect(
      text.contains("<a href=\"#t=2.5\" data-time=\"2.5\">0:02.500 &lt;/title&gt;&lt;script&gt;"))
    #expect(text.contains("data-time=\"5.0\">0:05.000 480 frames lost (xrun)</a>"))
    #expect(text.contains("Waveform from 0:00.000 to 0:10.000, 1 mark, 1 gap"))
    #expect(!text.contains("http://") && !text.contains("https://") && !text.contains("\u{1B}"))
    #expect(text.components(separatedBy: "<script").count == 2)
  }

  @Test("A gap of a track is drawn only in the row of that track")
  func trackGap() throws {
    let gap = LabelledFrame(240_000, "silent", track: "far-side", length: 48_000)
    let axis = TimeAxis(0..<480_000, at: .hz48000, marks: [], gaps: [gap])
    let drawing = SoundDrawing(.waveform(call), axis, width: 300, height: 214)
    let numbers = drawing.pixels.numbers
    let rows = (0..<200).filter { numbers[$0 * 300 + 150] == Palette.Number.gap }
    #expect(rows.first == 100 && rows.count > 50)
    let svg = String(decoding: try drawing.svg(title: "call"), as: UTF8.self)
    #expect(svg.contains("y1=\"100\" y2=\"200\"><title>0:05.000 far-side: silent</title>"))
    let spectrogram = SoundDrawing(.spectrogram(try spectrogram()), axis, width: 300, height: 200)
    let page = Page(
      title: "", facts: [], waveform: drawing, spectrogram: spectrogram,
      sound: PageSound(.linked(path: "a.wav"), from: 0))
    let text = String(decoding: try page.bytes(), as: UTF8.self)
    // The line is in the figure of the track and in the spectrogram.
    #expect(text.components(separatedBy: "<line class=\"gap\"").count == 3)
    #expect(text.contains("mic: Waveform from 0:00.000 to 0:10.000, 0 marks, 0 gaps"))
    #expect(text.contains("0:05.000 far-side: silent</a>"))
  }

  @Test("A page of a take with tracks has a picture and a button for each")
  func muted() throws {
    let sound = PageSound(.embedded(type: "audio/wav", [1, 2, 3]), from: 0)
    let text = try page(sound, of: call)
    #expect(text.components(separatedBy: "<figure class=\"picture\">").count == 4)
    #expect(text.contains("<h2>mic</h2>") && text.contains("aria-label=\"Mute far-side\""))
    #expect(text.contains("data-first=\"1\" data-last=\"2\" hidden>Mute</button>"))
    #expect(text.contains("aria-label=\"mic: Waveform from 0:00.000 to 0:10.000"))
    #expect(!text.contains("type=\"file\"") && !text.contains("blob:"))
    let linked = try page(PageSound(.linked(path: "../my call.wav"), from: 0), of: call)
    #expect(linked.contains("data-name=\"my call.wav\"") && linked.contains("blob:;"))
    let plain = try page(sound)
    #expect(!plain.contains("mute") && !plain.contains("AudioContext"))
  }

  @Test("A linked sound is named, and its marks link into the file")
  func linked() throws {
    let text = try page(PageSound(.linked(path: "../my take.wav"), from: 0))
    #expect(text.contains("src=\"./../my%20take.wav\"") && text.contains(">../my take.wav</a>"))
    #expect(text.contains("href=\"./../my%20take.wav#t=2.5\""))
    #expect(text.contains("media-src 'self' file:;"))
  }
}
