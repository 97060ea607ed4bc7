import Audio
import Control
import Testing

@testable import Commands

@Suite("The tracks of start")
struct TrackOptionsTests {
  private func plan(_ line: String) throws -> CapturePlan {
    let words = ["start"] + line.split(separator: " ").map(String.init)
    return try StartPlan(Parser.parse(words, by: .standard).arguments).plan().capture
  }

  @Test("come in the order of the options; everything after the first = is the device")
  func order() throws {
    let plan = try plan("a.wav --track mic=hw:CARD=USB --track=far=test:tone -c 1")
    #expect(
      plan.tracks == [
        Track(name: "mic", device: "hw:CARD=USB"), Track(name: "far", device: "test:tone"),
      ])
    #expect(plan.channels == .mono)
  }

  @Test("of a meeting come before those of other options")
  func meeting() throws {
    let meeting = try plan("--meeting a.wav").tracks
    #expect(meeting == (try plan("a.wav --track mic=default --track far=output").tracks))
    let tracks = try plan("--track room=hw:1 --meeting").tracks
    #expect(tracks.compactMap(\.name) == ["mic", "far", "room"])
  }

  @Test("are required by their names")
  func required() throws {
    let plan = try plan("--meeting a.wav --require far --require=mic")
    #expect(plan.required == ["far", "mic"])
    #expect(CapturePlan(json: plan.json) == plan)
  }

  @Test("have a file each with --separate, whose name ends with that of the track")
  func separate() throws {
    let words = "start --meeting --separate a/call.flac".split(separator: " ").map(String.init)
    let plan = try StartPlan(Parser.parse(words, by: .standard).arguments).plan()
    #expect(plan.output.tracks == ["mic", "far"])
    #expect(plan.output.path?.hasSuffix("/a/call-mic.flac") == true)
    #expect(OutputPlan(json: plan.output.json) == plan.output)
  }

  @Test("name the times of their gaps, and the cause")
  func gaps() {
    func row(_ gaps: [Gap], ended: Gap.Cause? = nil) -> String? {
      var track = Track(name: "far", device: "output")
      (track.gaps, track.ended) = (gaps, ended)
      return [track].rows(at: .hz48000).first?.meaning
    }
    let first = Gap(position: 251_472, length: 156_048, cause: .disconnected)
    let second = Gap(position: 480_000, length: 48_000, cause: .permission)
    #expect(row([]) == "output")
    #expect(row([first]) == "output, silent from 0:05.239 for 0:03.251 (no device)")
    #expect(
      row([first, first]) == "output, silent in 2 gaps, 0:06.502 in all, the first at 0:05.239")
    #expect(
      row([second], ended: .permission) == "output, silent since 0:10.000: no permission")
    #expect(
      row([first, second], ended: .permission)
        == "output, silent from 0:05.239 for 0:03.251 (no device), "
        + "silent since 0:10.000: no permission")
  }

  @Test("A single track has as many channels as its device")
  func single() throws {
    #expect(try plan("a.wav --track mic=hw:1 -c 8").channels?.value == 8)
  }

  @Test(
    "are refused with a message of their own",
    arguments: [
      ("--track mic=a --track mic=b", "two tracks have the name \"mic\""),
      ("--meeting --track far=a", "two tracks have the name \"far\""),
      ("--track Mic=a", "\"Mic\" is not a valid track name"),
      ("--track =a", "\"\" is not a valid track name"),
      ("--track \(String(repeating: "m", count: 33))=a", "is not a valid track name"),
      ("--track mic=", "the track \"mic\" has no device"),
      ("--track mic=a -d b", "--track cannot be combined with --device"),
      ("--meeting -d b", "--meeting cannot be combined with --device"),
      ("--track mic=a --select 1", "--track cannot be combined with --select"),
      ("--track a=a --track b=b -c 3", "a track has one or two channels, not 3"),
      (
        (0...64).map { "--track t\($0)=a" }.joined(separator: " ") + " --mix",
        "a take has at most 64 tracks, not 65"
      ),
      ("--meeting --require fra", "--require: there is no track \"fra\""),
      ("a.wav --require far", "--require: there is no track \"far\""),
      (
        "--track far=app:firefox --require far",
        "the track \"far\" records a program, so it cannot be required"
      ),
      ("--mix", "--mix needs several tracks"), ("--track a=a --mix", "--mix needs several tracks"),
      ("--separate a.wav", "--separate needs several tracks"),
      ("--meeting --separate --mix a.wav", "remove one of these options"),
      (
        "--track a=a --track b=b --track c=c -c 2 a.opus",
        "Opus cannot store 6 channels (3 tracks)"
      ),
    ])
  func refused(line: String, message: String) throws {
    let failure = try #require(throws: Failure.self) { try plan(line) }
    #expect(failure.code == .usage && failure.message.fact.contains(message), "\(failure)")
  }

  @Test("are refused by the parser without an equals sign, and other options if they are repeated")
  func parser() {
    #expect(throws: UsageError.self) { try plan("--track mic") }
    #expect(throws: UsageError.repeatedOption("--device")) { try plan("-d a -d b") }
  }
}
