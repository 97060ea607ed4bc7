import Audio
import Control
import Devices
import Testing

@testable import Commands

@Suite("Values of options")
struct ValueTests {
  /// Returns the value of a text, or the error that refuses it.
  private func read<Value: ArgumentValue>(
    _ text: String, as type: Value.Type = Value.self
  ) -> Result<Value, ValueError> {
    Result { () throws(ValueError) in try Value(argument: text) }
  }

  @Test(
    "A duration is seconds or units, the largest first",
    arguments: [
      ("90", Duration.seconds(90)), ("90s", .seconds(90)), ("1m30s", .seconds(90)),
      ("2h", .seconds(7_200)), ("1h2m3s", .seconds(3_723)), ("30d", .seconds(2_592_000)),
      ("250ms", .milliseconds(250)), ("1s500ms", .milliseconds(1_500)), ("0", .zero),
      ("1.5s", .milliseconds(1_500)), ("0.1", .milliseconds(100)), (".5s", .milliseconds(500)),
      ("1m0.25s", .milliseconds(60_250)), ("0.0000000019", .nanoseconds(1)),
      ("1:30", .seconds(90)), ("0:00.5", .milliseconds(500)), ("1:01:40", .seconds(3_700)),
      ("90:00", .seconds(5_400)), ("100:00:00", .seconds(360_000)),
    ])
  func duration(text: String, expected: Duration) {
    #expect(read(text) == .success(expected))
  }

  @Test(
    "What is no duration is refused",
    arguments: [
      "", "s", "-5", "+5", "5x", "1s1m", "1m1m", "1m30", "1.5m30s", "90 s", "1e3", "inf", "nan",
      "0x10", "1.", "٣", "1h-2m", "1000000000000000000000000000", ":", "1:", ":30",
      "1:5", "1:60", "1:1:30", "1:02.5:03", "1.5:00", "1:30s", "1m:30", "0:1:02:03", "1::30",
    ])
  func noDuration(text: String) {
    #expect(read(text, as: Duration.self) == .failure(.malformed))
  }

  @Test(
    "A duration past 292 years is out of range",
    arguments: ["106752d", "9223372037", "106751d24h", "2562048:00:00"])
  func longDuration(text: String) {
    #expect(
      read(text, as: Duration.self)
        == .failure(.outOfRange("the longest duration is 106751 days")))
  }

  @Test(
    "Files are kept by number or by age",
    arguments: [
      ("1", KeepPlan.count(1)), ("24", .count(24)), ("7d", .age(.seconds(604_800))),
      ("1.5h", .age(.seconds(5_400))), ("90s", .age(.seconds(90))),
    ])
  func kept(text: String, expected: KeepPlan) {
    #expect(read(text, as: Retention.self).map(\.plan) == .success(expected))
  }

  @Test("An age without its unit is refused", arguments: ["1.5", "1:30", "0:00:10", "7d1"])
  func unclearAge(text: String) {
    #expect(read(text, as: Retention.self) == .failure(.malformed))
  }

  @Test(
    "A size counts in powers of 1,024, and of 1,000 before a B",
    arguments: [
      ("0", 0), ("4096", 4_096), ("12B", 12), ("64k", 65_536), ("500M", 524_288_000),
      ("4G", 4_294_967_296), ("4GiB", 4_294_967_296), ("4GB", 4_000_000_000),
      ("1.5G", 1_610_612_736), ("2T", 2_199_023_255_552), ("8388607T", 9_223_370_937_343_148_032),
    ] as [(String, Int64)])
  func size(text: String, expected: Int64) {
    #expect(read(text) == .success(ByteCount(expected)))
  }

  @Test(
    "What is no size is refused",
    arguments: ["", "M", "-5M", "5 M", "5P", "5MBB", "5BB", "5BiB", "1e9", "5Mi"])
  func noSize(text: String) {
    #expect(read(text, as: ByteCount.self) == .failure(.malformed))
  }

  @Test("A size past Int64 is out of range")
  func largeSize() {
    #expect(
      read("8388608T", as: ByteCount.self) == .failure(.outOfRange("the largest size is 8388607T")))
  }

  @Test(
    "A level may have its unit",
    arguments: [
      ("-40dB", -40.0), ("-40", -40), ("6", 6), ("-12.5dBFS", -12.5), ("0dB", 0), ("+6db", 6),
      ("6dB", 6), ("-.5dB", -0.5),
    ])
  func level(text: String, expected: Double) {
    #expect(read(text) == .success(Decibels(expected)))
  }

  @Test("A text that is no level is refused", arguments: ["", "dB", "--40dB", "-infdB", "-40 dB"])
  func noLevel(text: String) {
    #expect(read(text, as: Decibels.self) == .failure(.malformed))
  }

  @Test("A level far from full scale is out of range", arguments: ["-201dB", "201dB"])
  func farLevel(text: String) {
    #expect(
      read(text, as: Decibels.self)
        == .failure(.outOfRange("levels are within 200dB of full scale")))
  }

  @Test(
    "A level that sounds are compared with lies below full scale, and a number is taken for one",
    arguments: [
      ("30", "-30"), ("30 db", "-30db"), ("6dB", "-6dB"), ("loud", nil),
    ])
  func threshold(text: String, meant: String?) throws {
    #expect(try Threshold(argument: "-40dB").level == Decibels(-40))
    #expect(throws: ValueError.self) { try Threshold(argument: text) }
    let valid = Threshold.corrections(of: text).first { (try? Threshold(argument: $0)) != nil }
    #expect(valid == meant)
  }

  @Test(
    "A program that cannot be run gets advice on arguments only if its text has a space",
    arguments: [
      ("no-such-program -c true", true), ("./no-such-hook arg", true), ("no-such-program", false),
      ("./no-such-hook", false),
    ])
  func program(text: String, isAdvised: Bool) throws {
    let advice = try ProgramPath(argument: text).obstacle.advice
    #expect((advice?.contains("into a script") ?? false) == isAdvised)
  }

  @Test(
    "A volume is a factor or a level",
    arguments: [
      ("0", 0.0), ("0.5", 0.5), ("1.0", 1), ("0dB", 1), ("50%", 0.5), ("-20dB", 0.1),
      ("-6.0206dB", 0.5),
    ])
  func volume(text: String, expected: Double) throws {
    #expect(abs(try Volume(argument: text).factor - expected) < 0.000_01)
  }

  @Test("A text that is no volume is refused", arguments: ["", "-0.5", "50%%", "loud", "0,5"])
  func noVolume(text: String) {
    #expect(read(text, as: Volume.self) == .failure(.malformed))
  }

  @Test("A volume above full is out of range", arguments: ["1.01", "2", "1dB"])
  func loudVolume(text: String) {
    #expect(
      read(text, as: Volume.self)
        == .failure(.outOfRange("the loudest volume is 1.0, which is 100% or 0dB")))
  }

  @Test("A volume that is meant as a percentage is refused with the percentage")
  func percentage() {
    #expect(
      read("50", as: Volume.self)
        == .failure(
          .outOfRange(
            "the loudest volume is 1.0, which is 100% or 0dB; for a percentage, write \"50%\"")))
    #expect(
      read("20dB", as: Volume.self)
        == .failure(.outOfRange("the loudest volume is 1.0, which is 100% or 0dB")))
  }

  @Test(
    "The correction of a new name keeps all its words",
    arguments: [
      ("Ada/Bob", "Ada-Bob"), ("../talk", "talk"), ("/home/kim/talk", "talk"), ("~/a/b", "b"),
      (".talk", "talk"), ("a//b/", "a-b"),
    ])
  func newName(text: String, correction: String) {
    #expect(NewName.corrections(of: text) == [correction])
  }

  @Test(
    "A sample rate is Hertz or kilohertz",
    arguments: [
      ("48000", 48_000), ("48k", 48_000), ("44.1k", 44_100), ("44.1kHz", 44_100),
      ("22050hz", 22_050), ("1000", 1_000), ("1Hz", 1), ("768k", 768_000),
    ])
  func rate(text: String, expected: Int) {
    #expect(read(text).map(\SampleRate.hertz) == .success(expected))
  }

  @Test(
    "What is no sample rate is refused",
    arguments: ["", "CD", "-48000", "44100.5", "48M", "48", "999"])
  func noRate(text: String) {
    #expect(read(text, as: SampleRate.self) == .failure(.malformed))
  }

  @Test("An unsupported sample rate is out of range", arguments: ["0", "769k", "99999999999"])
  func wildRate(text: String) {
    #expect(
      read(text, as: SampleRate.self)
        == .failure(.outOfRange("sample rates range from 1 to 768000 Hz")))
  }

  @Test("A number of channels is a whole number", arguments: [("1", 1), ("2", 2), ("1024", 1_024)])
  func channels(text: String, expected: Int) {
    #expect(read(text).map(\ChannelCount.value) == .success(expected))
  }

  @Test(
    "What is no number of channels is refused", arguments: ["", "stereo", "1.5", "-1", "0", "1025"])
  func noChannels(text: String) {
    #expect((try? ChannelCount(argument: text)) == nil)
  }

  @Test(
    "A choice is one of its words",
    arguments: [("capture", Direction.capture), ("playback", .playback)])
  func choice(text: String, expected: Direction) {
    #expect(read(text) == .success(expected))
    #expect(read(text + "s", as: Direction.self) == .failure(.malformed))
    #expect(Direction.expectation == "capture or playback")
  }

  @Test(
    "A size is shown with the digits that matter",
    arguments: [
      (0, "0 bytes"), (1_023, "1023 bytes"), (1_024, "1.0 KiB"), (1_500_000, "1.4 MiB"),
      (10_188, "9.9 KiB"), (10_189, "10 KiB"), (1_048_575, "1.0 MiB"), (.max, "8.0 EiB"),
    ] as [(Int64, String)])
  func shownSize(bytes: Int64, expected: String) {
    #expect(ByteCount(bytes).description == expected)
  }

  @Test(
    "A number is rounded to its places",
    arguments: [
      (1.25, 1, "1.3"), (-0.04, 1, "0.0"), (-12.34, 1, "-12.3"), (48, 0, "48"), (0.999, 2, "1.00"),
      (2.05, 3, "2.050"),
    ])
  func shownNumber(number: Double, places: Int, expected: String) {
    #expect(rounded(number, places: places) == expected)
  }
}
