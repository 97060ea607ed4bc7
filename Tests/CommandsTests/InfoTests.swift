import Analysis
import Audio
@testable import Commands
import Decoding
@testable import Files
import JSON
import Linux
import Sounds
import Testing

@Suite("Facts about sound files")
struct InfoTests {
  private static let info = SoundFileInfo(
    container: "WAV (Microsoft)", encoding: "Signed 16 bit PCM", bits: 16, rate: .hz48000,
    channels: .stereo, frames: 5_000_000, bytes: 20_000_044,
    tags: [.title: "A\u{1B}]0;x\u{7}", .trackNumber: "7"],
    cues: [SoundFileCue(at: 72_000, label: "here")])

  @Test("A file is described in aligned lines, without terminal control characters")
  func text() {
    var description = SoundDescription(Self.info, ending: "wav")
    var levels = SoundLevels()
    levels.level = Level(peak: 0.5, rms: 0, clipped: 3)
    levels.loudness = MeasuredLoudness(integrated: -16.04, range: 5.3)
    (levels.truePeak, levels.offset, levels.silence) = (0.6, -0.0001, 0.123)
    description.levels = levels
    let report = InfoReport(entries: [.file(path: "a\nb.wav", description)])
    let expected = """
      a\\nb.wav
        Container  WAV (Microsoft)
        Encoding   Signed 16 bit PCM
        Format     48000 Hz, stereo
        Length     1:44.166 (5000000 frames)
        Size       19 MiB (20000044 bytes)
        Peak       -6.0 dBFS, 3 samples clipped
        True peak  -4.4 dBTP
        RMS        silence
        Loudness   -16.0 LUFS, range 5.3 LU
        DC offset  -0.010 %
        Silence    12 % below -60 dBFS
        Title      A\\x1B]0;x\\x07
        Track      7
        Marker     0:01.500 here

      """
    #expect(report.text(.plain) == expected)
  }

  @Test("A file that ends early has a row with the number of its frames")
  func flaw() {
    var info = Self.info
    info.flaw = SoundFlaw(
      frames: 5_000_000, missing: 1, isCutShort: true, trailingBytes: 0, isRepairable: true)
    var description = SoundDescription(info, ending: "wav")
    #expect(description.flaw == info.flaw)
    let words = "cut short: it has 5000000 of 5000001 frames"
    #expect(description.rows.contains { $0 == ("Flaw", words) })
    description.ignoreFlaw()
    #expect(!description.rows.contains { $0.term == "Flaw" })
  }

  @Test("The plan of a repaired copy is unchanged after JSON, and an incomplete one is refused")
  func copy() throws {
    let copy = WaveCopy(
      head: Array("RIFF    WAVE".utf8), length: 480, isPadded: true,
      patches: [FilePatch(offset: 40, bytes: [1, 0, 255, 7])])
    #expect(WaveCopy(json: copy.json) == copy)
    #expect(WaveCopy(json: ["head": [], "length": 480, "padded": true]) == nil)
  }

  @Test("JSON has durations in seconds, and null for silence and unknown values")
  func json() {
    var info = Self.info
    info.frames = nil
    var description = SoundDescription(info, ending: "wav")
    description.levels = SoundLevels()
    description.levels?.loudness = MeasuredLoudness(integrated: -.infinity, range: 0)
    description.levels?.silence = 1
    let json = JSONValue.object(description.members)
    #expect(json["frames"] == .null && json["duration"] == .null)
    #expect(json["marks"]?[0]?["time"] == 1.5)
    #expect(json["tags"] == ["title": "A\u{1B}]0;x\u{7}", "trackNumber": "7"])
    let levels =
      #"{"peak":null,"rms":null,"clipped":0,"truePeak":null,"dcOffset":0.0,"silence":1.0,"#
      + #""loudness":null,"loudnessRange":0.0}"#
    #expect(description.levels?.json.encoded() == levels)
  }

  @Test("The first unreadable file decides the exit code")
  func exitCode() {
    let good = InfoReport.Entry.file(
      path: "a.wav", SoundDescription(Self.info, ending: "wav"))
    let bad = [ExitCode.notASound, .notFound].map { code in
      InfoReport.Entry.unreadable(path: "b", Failure(code, Message("no")))
    }
    #expect(InfoReport(entries: [good]).exitCode == .done)
    #expect(InfoReport(entries: [good] + bad).exitCode == .notASound)
    #expect(InfoReport(entries: bad + [good]).text(.plain).hasPrefix("a.wav\n"))
  }

  @Test(
    "Each way to fail has its exit code",
    arguments: [
      (SoundFileError.system(SystemError("open", "x", errno: .noSuchFile)), ExitCode.notFound),
      (.system(SystemError("open", "x", errno: .notDirectory)), .notFound),
      (.system(SystemError("open", "x", errno: .accessDenied)), .notASound),
      (.notRegular(subject: "x"), .notASound), (.notSound(subject: "x"), .notASound),
      (.library(function: "sf_open", subject: "x", code: 3, words: "bad"), .notASound),
    ])
  func failures(error: SoundFileError, expected: ExitCode) {
    let failure = Failure(reading: "x", error)
    #expect(failure.code == expected)
    #expect(failure.message.fact.hasPrefix("cannot read \"x\": "))
  }

  @Test(
    "Only a file of an unknown format gets advice on raw samples",
    arguments: [
      (SoundFileError.notSound(subject: "x"), true),
      (.notDecoded(subject: "x", kind: "an HTML page", isConvertible: false), false),
      (.notDecoded(subject: "x", kind: "AAC audio", isConvertible: true), false),
      (.empty(subject: "x"), false),
    ])
  func rawSamples(error: SoundFileError, isAdvised: Bool) throws {
    let told = JSONValue.object(SoundProblem(error).json).encoded()
    for problem in [SoundProblem(error), SoundProblem(decoding: Array(told.utf8))] {
      let advice = Failure(reading: "x", problem).message.advice
      #expect(advice.contains { $0.contains("--rate, --channels and --bits") } == isAdvised)
    }
  }
}
