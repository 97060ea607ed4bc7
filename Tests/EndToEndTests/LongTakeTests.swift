import Foundation
import Support
import Testing

/// Takes that become large within minutes: 64 channels of 32 bits at 192 kHz are 47 MiB a second.
@Suite(
  "A take past 4 GiB", .serialized, .timeLimit(.minutes(15)), .requires("RECORDER_TEST_EVERY"))
struct LongTakeTests {
  let studio: Studio

  init() throws {
    studio = try Studio()
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Torture/count.c").path
    let made = try studio.run("cc -O2 -o count '\(source)'")
    try #require(made.code == 0, "\(made)")
  }

  private static let stream = "--rate 192000 --channels 64 --bits 32"

  @Test("It is read back in full by ffmpeg, sox and libsndfile")
  func whole() throws {
    let outcome = try studio.run(
      "start \(Self.stream) --duration 90s a.wav > /dev/null && \"$recorder\" wait --json",
      limit: .seconds(300))
    // The code is 14 if the disk is slower than 47 MiB a second for longer than the buffer lasts.
    #expect(outcome.code == 0 || outcome.code == 14, "\(outcome)")
    #expect(try studio.run("head -c 4 a.wav").output == "RF64")
    let frames = try #require(try parsed(outcome.output)["frames"] as? [String: Int])
    #expect(frames["filled"] == frames["lost"] && (outcome.code == 0) == (frames["lost"] == 0))
    try expectWhole("a.wav", frames: 90 * 192_000, silent: frames["filled"])
    print("past 4 GiB: \(frames)")
  }

  @Test("After a kill past 4 GiB, all but the last second is recovered and readable")
  func killed() throws {
    let process = try studio.start("\(Self.stream) a.wav")
    let outcome = try studio.run(
      """
      limit=250 await '[ $(stat -c %s .a.wav.part) -ge 4400000000 ]'
      "$recorder" status --json > status; kill -KILL \(process)
      ended \(process); "$recorder" recover --json
      """, limit: .seconds(300))
    #expect(outcome.code == 0, "\(outcome)")
    let status = try parsed(String(decoding: studio.scratch.read("status"), as: UTF8.self))
    let recording = try #require(status["recordings"] as? [[String: Any]]).first
    let said = try #require((recording?["frames"] as? [String: Int])?["captured"])
    let take = try #require(try parsed(outcome.output)["recovered"] as? [[String: Any]]).first
    let books = try #require(take?["frames"] as? [String: Int])
    let frames = try #require(books["onDisk"])
    #expect(frames > said - 192_000)
    let size = try studio.run("stat -c %s a-recovered.wav").output
    #expect(take?["bytes"] as? Int == Int(size.dropLast()))
    try expectWhole("a-recovered.wav", frames: frames, silent: books["filled"])
    print("killed past 4 GiB: \(books); \(said) were said to be captured")
  }

  private func expectWhole(_ name: String, frames: Int, silent: Int?) throws {
    for reader in [
      "ffmpeg -v error -xerror -i \(name) -f s32le -", "sox \(name) -t raw -e signed -b 32 -",
    ] {
      let outcome = try studio.run("\(reader) | ./count 64", limit: .seconds(300))
      #expect(
        outcome.output == "\(frames) \(silent ?? 0)\n" && outcome.errors.isEmpty,
        "\(reader): \(outcome)")
    }
    let info = try studio.json("info \(name)")["files"] as? [[String: Any]]
    #expect(info?.first?["frames"] as? Int == frames)
    #expect(try studio.run("soxi -s \(name); rm \(name)").output == "\(frames)\n")
  }
}
