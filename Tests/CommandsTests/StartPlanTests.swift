import Audio
import Control
import JSON
import Linux
import Testing

@testable import Commands

@Suite("The plan that start makes from its command line")
struct StartPlanTests {
  private func plan(_ line: String) throws -> RecordingPlan {
    let words = ["start"] + line.split(separator: " ").map(String.init)
    return try StartPlan(Parser.parse(words, by: .standard).arguments).plan()
  }

  @Test(
    "The name says the format, unless an option does",
    arguments: [
      ("a.wav", FileFormat.wav), ("a.flac", .flac), ("A.OPUS", .opus), ("a.pcm", .raw), ("a", .wav),
      ("a.2026", .wav), (".hidden", .wav), ("-f flac a.b", .flac), ("-f wav a.wave", .wav),
      ("-", .raw),
      ("-f wav -", .wav),
    ])
  func format(line: String, expected: FileFormat) throws {
    #expect(try plan(line).output.format == expected)
  }

  @Test("A format that is only for export is refused", arguments: ["ogg", "MP3", "w64"])
  func exportOnly(word: String) {
    #expect(throws: ValueError.malformed) { try FileFormat(argument: word) }
    #expect(FileFormat(suffix: word) == nil)
  }

  @Test(
    "A file that cannot be recorded is refused with what to do instead",
    arguments: [
      ("takes/", "takes/talk.wav\", or make it the default directory: recorder config set "),
      ("/usr/../tmp/", "such as \"/tmp/talk.wav\", or make it the default directory"),
      ("a.mp3", "or \".wav\"; \"recorder export\" converts it to MP3"),
    ])
  func advice(line: String, expected: String) throws {
    do {
      _ = try plan(line)
      Issue.record("\(line) is accepted")
    } catch {
      let message = Failure(explaining: error).message
      #expect(message.advice.contains { $0.contains(expected) }, "\(message)")
    }
  }

  @Test(
    "A path is absolute, with the time in it where it asks for one",
    arguments: [("/x/100%%.wav", "/x/100%.wav"), ("/x/./y.wav", "/x/y.wav")])
  func path(line: String, expected: String) throws {
    #expect(try plan(line).output.path == expected)
  }

  @Test(
    "A name without an extension gets that of its format",
    arguments: [
      ("/x/a", "/x/a.wav"), ("-f flac /x/a", "/x/a.flac"), ("/x/a.2026", "/x/a.2026.wav"),
      ("/x/a.", "/x/a.wav"), ("-f raw /x/a", "/x/a.raw"), ("-f flac /x/a.b", "/x/a.b"),
      ("/x/.a", "/x/.a"), ("/x.y/a", "/x.y/a.wav"), ("/tmp", "/tmp"),
    ])
  func extended(line: String, expected: String) throws {
    #expect(try plan(line).output.path == expected)
  }

  @Test("A name with the time in it gets an extension too, as does its pattern")
  func extendedPattern() throws {
    let output = try plan("/x/%Y.%m").output
    #expect(output.pattern == "/x/%Y.%m.wav")
    #expect(output.path?.hasSuffix(".wav") == true)
  }

  @Test("The default file name has the time in it, in the working directory")
  func defaultName() throws {
    let path = try #require(try plan("-f flac").output.path)
    let pattern = try Regex(#"recording-\d{8}-\d{6}\.flac"#)
    #expect(
      try path == Program.workingDirectory() + "/"
        + String(#require(path.split(separator: "/").last)))
    #expect(path.firstMatch(of: pattern) != nil)
  }

  @Test("The device is the typed one, else the variable's, else ALSA's default")
  func device() throws {
    let former = Environment.value(of: "RECORDER_CAPTURE_DEVICE")
    defer { Environment.exchange(["RECORDER_CAPTURE_DEVICE": former]) }
    for (variable, line, expected) in [
      (nil, "a.wav", "default"), ("", "a.wav", "default"), ("test:tone", "a.wav", "test:tone"),
      ("test:tone", "-d hw:1 a.wav", "hw:1"),
    ] as [(String?, String, String)] {
      Environment.exchange(["RECORDER_CAPTURE_DEVICE": variable])
      #expect(try plan(line).capture.device == expected)
    }
  }

  @Test(
    "A recording waits one minute for a lost device, and one to stdout only as long as typed",
    arguments: [
      ("a.wav", .seconds(60)), ("-", nil), ("--reconnect 5s -", .seconds(5)),
    ] as [(String, Duration?)])
  func reconnect(line: String, expected: Duration?) throws {
    #expect(try plan(line).reconnect == expected)
  }

  @Test("No two takes have the same identifier")
  func identifiers() throws {
    #expect(try plan("a.wav").identifier != plan("a.wav").identifier)
  }

  @Test(
    "Impossible options are refused before anything is changed",
    arguments: [
      "a.mp3", "a/", "-f opus -", "-b 32 a.flac", "-c 9 a.opus", "-r 96000 a.opus",
      "-f flac a.wav", "--duration 0 a.wav", "--max-size 1 a.wav", "a.wav -o b.wav",
      "-c 1 --select 1,2 a.wav",
    ])
  func refused(line: String) throws {
    #expect {
      try plan(line)
    } throws: { error in
      (error as? Failure)?.code == .usage
    }
  }
}

@Suite("The one-line view")
struct ViewLineTests {
  private func status(peak: Double, highest: Double) -> RecordingStatus {
    var status = RecordingStatus(
      TakeFacts(
        identifier: "a1", name: "default", device: "d",
        stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav),
      state: .recording, process: 1)
    status.path = "/a.wav"
    status.frames.captured = FrameCount(48_000 * 61)
    status.level = Level(peak: peak, rms: 0, clipped: 0)
    status.highestPeak = highest
    return status
  }

  private func line(_ status: RecordingStatus, width: Int) -> String {
    LiveView(status, PeakHold()).line(width: width, .plain)
  }

  @Test(
    "It fits into every width, and fills those that have room", arguments: [1, 20, 40, 60, 79, 200])
  func width(columns: Int) {
    let line = line(status(peak: 0.5, highest: 1), width: columns)
    #expect(line.count <= columns && !line.contains("\n"))
    if columns >= 60 { #expect(line.count == columns) }
  }

  @Test("The bar grows with the level, and the highest peak stays")
  func bar() {
    let filled = [0, 0.001, 0.1, 0.5, 1].map { peak in
      line(status(peak: peak, highest: 1), width: 79).count { $0 == "#" }
    }
    #expect(filled == filled.sorted() && filled.first == 0 && Set(filled).count >= 4)
    let silent = line(status(peak: 0, highest: 0.1), width: 79)
    #expect(silent.hasPrefix("REC 1:01.0 [") && silent.contains("|"))
    #expect(silent.contains(" silence  max -20.0 dB"))
  }
}
