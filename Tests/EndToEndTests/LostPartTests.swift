import Foundation
import Support
import Testing

@Suite("A killed recording whose part is missing", .timeLimit(.minutes(10)))
struct LostPartTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  /// Records `k.wav` under the name `kk` after an earlier take of that name, and kills the session.
  private func kill(then script: String) throws {
    try studio.run("start -n kk k.wav > log; captured 0.2 kk; $recorder stop kk > log; rm k.wav")
    let process = try studio.start("-n kk k.wav")
    let outcome = try studio.run(
      """
      captured 0.3 kk; "$recorder" mark -n kk here > log
      kill -KILL \(process); ended \(process); \(script)
      """)
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test("is reported until recover has reported it", arguments: ["rm", "mv .k.wav.part"])
  func reported(command: String) throws {
    try kill(then: command == "rm" ? "rm .k.wav.part" : command + " saved.part")
    let part = studio.scratch.path(".k.wav.part")
    let status = try studio.run("$recorder status")
    #expect(status.output.hasPrefix("kk: interrupted, and its file is missing\n"), "\(status)")
    #expect(status.output.contains(part))
    let takes = try studio.run("$recorder takes").output
    #expect(takes.contains("kk was interrupted, and its file"), "\(takes)")
    for command in ["stop kk", "wait kk"] {
      let outcome = try studio.run("$recorder \(command)")
      #expect(outcome.code == 14, "\(outcome)")
      #expect(outcome.errors.contains("its file \"\(part)\" is missing"), "\(outcome)")
    }
    for command in ["pause kk", "info k.wav", "recover k.wav"] {
      let outcome = try studio.run("$recorder \(command)")
      #expect(outcome.code == 10 && outcome.errors.contains("is missing"), "\(outcome)")
    }
    for command in ["status", "takes", "recover --list"] {
      let missing = try studio.json(command)["missing"] as? [[String: Any]]
      #expect(missing?.map { $0["part"] as? String } == [part], "\(command)")
    }
    let told = try studio.run("$recorder recover")
    #expect(told.code == 0 && told.output.hasPrefix("\(part) is missing"), "\(told)")
    #expect(try studio.run("$recorder recover").output == "There is nothing to recover.\n")
    #expect(try studio.run("$recorder status").output.hasPrefix("Nothing is being recorded.\n"))
    #expect((try studio.json("takes")["missing"] as? [Any])?.count == 1)
    let list = try studio.run("$recorder takes k.wav").output
    #expect(list.contains("\n\nLost: kk, which began at 2"), "\(list)")
    let words = list.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("its file \"\(part)\" is missing; if it was moved"), "\(list)")
    #expect(words.contains("\"recorder recover PATH\" saves it from there."), "\(list)")
  }

  @Test("is reported even after another recording of its name")
  func setAside() throws {
    try kill(then: "rm .k.wav.part; start -n kk --duration 0.1 --foreground b.wav > log")
    let told = try studio.run("$recorder recover")
    #expect(told.output.contains(".k.wav.part is missing"), "\(told)")
    #expect(try studio.run("$recorder recover").output == "There is nothing to recover.\n")
  }

  @Test(
    "is recovered with its marks from its part at a new path, also after a report",
    arguments: [false, true], ["d/saved.part", "d/.k.wav.part", "d"])
  func moved(isReported: Bool, path: String) throws {
    try kill(then: "mkdir d; mv .k.wav.part \(path)")
    if isReported { try studio.run("$recorder recover") }
    let saved = try studio.json("recover \(path)")["recovered"] as? [[String: Any]]
    let take = try #require(saved?.first)
    #expect(take["name"] as? String == "kk" && take["marks"] as? Int == 1, "\(take)")
    #expect(take["path"] as? String == studio.scratch.path("d/k-recovered.wav"))
    #expect(take["device"] as? String == "test:ramp")
    #expect(try studio.run("ls -A . d | grep part; ls $state/interrupted").output == "")
    #expect(try studio.run("$recorder recover").output == "There is nothing to recover.\n")
    let numbers = Studio.ramp(try #require(try studio.soundBytes("d/k-recovered.wav")))
    #expect(numbers.count > 14_400 && firstBreak(in: numbers) == nil)
  }

  @Test("does not change the journal of a later recording to the same file")
  func journal() throws {
    try kill(then: "mv .k.wav.part saved.part")
    let outcome = try studio.run(
      """
      start -n other k.wav > log; captured 0.2 other; "$recorder" mark -n other mine > log
      "$recorder" recover saved.part --json | grep -c '"marks":0'; "$recorder" stop other --json
      """)
    #expect(outcome.output.hasPrefix("1\n") && outcome.output.contains(#""marks":1"#), "\(outcome)")
  }

  @Test("is not confused with a saved take that has the inode number of its deleted part")
  func reused() throws {
    try kill(then: "rm .k.wav.part; start -n b --duration 0.2 --foreground b.wav > log")
    let outcome = try studio.run("$recorder recover b.wav; ls *.wav")
    #expect(outcome.output == "b.wav\n" && outcome.errors.contains("is complete"), "\(outcome)")
  }

  @Test("is not confused with a later file that has the inode number of its deleted part")
  func foreign() throws {
    try studio.run("start -n b --duration 0.2 --foreground b.wav > log")
    try kill(
      then: """
        inode=$(stat -c %i .k.wav.part); mkdir copies; rm .k.wav.part
        for number in $(seq 40); do cp b.wav copies/$number.wav; done
        found=$(find copies -type f -inum $inode); mv "${found:-copies/1.wav}" song.wav
        """)
    let outcome = try studio.run("$recorder recover song.wav; cmp b.wav song.wav; ls *.wav")
    #expect(outcome.output.hasSuffix("b.wav\nsong.wav\n"), "\(outcome)")
  }
}
