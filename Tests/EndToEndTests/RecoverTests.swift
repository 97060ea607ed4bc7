import Foundation
import Support
import Testing

@Suite("recover", .timeLimit(.minutes(10)))
struct RecoverTests {
  let studio: Studio

  init() throws { studio = try Studio() }

  /// Records for a while and kills the session.
  private func kill(_ arguments: String, after script: String = "captured 0.3") throws {
    let process = try studio.start(arguments)
    #expect(try studio.run("\(script); kill -KILL \(process); ended \(process)").code == 0)
  }

  private func names() throws -> [String] {
    try studio.run("ls -A | grep -e wav -e flac -e opus -e raw").output
      .split(separator: "\n").map(String.init)
  }

  @Test("A take that is recovered by a relative path is listed with its absolute path")
  func relative() throws {
    try kill("a.wav")
    let outcome = try studio.run(
      """
      rm $state/sessions/*.json; mkdir b; mv .a.wav.part b
      "$recorder" recover ./b > recovered; cd /; "$recorder" takes
      """)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.contains("  \(studio.scratch.path("b/a-recovered.wav"))  "))
  }

  @Test("Without anything to save, recover says so, and fails only if a path was given")
  func nothing() throws {
    let outcome = try studio.run("$recorder recover")
    #expect(outcome.code == 0 && outcome.output == "There is nothing to recover.\n")
    #expect(try studio.run("$recorder recover .").code == 10)
    #expect(try studio.run("$recorder recover a.wav").code == 10)
  }

  @Test("A killed take is recovered once, with its marks and its name, and is listed")
  func marks() throws {
    try kill("a.wav", after: "captured 0.3; $recorder mark here")
    #expect(try studio.run("$recorder recover --list").output.contains(".a.wav.part"))
    let outcome = try studio.run("$recorder recover")
    #expect(outcome.code == 0 && outcome.output.contains("a-recovered.wav"))
    #expect(try names() == ["a-recovered.wav"])
    #expect(try studio.run("$recorder info a-recovered.wav").output.contains("here"))
    let takes = try studio.json("takes")["takes"] as? [[String: Any]]
    #expect(takes?.first?["reason"] as? String == "interrupted")
    #expect(try studio.run("$recorder recover").output == "There is nothing to recover.\n")
    #expect(try studio.run("$recorder status").output.hasPrefix("Nothing is being recorded.\n"))
  }

  @Test("A killed take is named below the list, and listed with its title once it is recovered")
  func listed() throws {
    try kill("a.wav --title Talk")
    #expect(
      try studio.run("$recorder takes").output
        == "There are no takes.\n\n1 recording was interrupted: default. Save with: recorder recover\n"
    )
    #expect((try studio.json("takes")["interrupted"] as? [[String: Any]])?.count == 1)
    let outcome = try studio.run("$recorder recover > said; $recorder takes")
    #expect(
      outcome.output.hasSuffix("/a-recovered.wav  \"Talk\"  (interrupted)\n"), "\(outcome)"
    )
    #expect((try studio.json("takes")["interrupted"] as? [[String: Any]])?.isEmpty == true)
  }

  @Test("A killed take keeps its title, note and marks in the list")
  func words() throws {
    try kill(
      "m.wav --title Talk --note 'first draft'", after: "captured 0.3; $recorder mark salary > said"
    )
    let outcome = try studio.run(
      """
      "$recorder" recover > said
      for word in salary Talk draft; do "$recorder" takes "$word" --json | grep -c m-recovered.wav; done
      """)
    #expect(outcome.output == "1\n1\n1\n", "\(outcome)")
    let take = try #require((try studio.json("takes")["takes"] as? [[String: Any]])?.first)
    #expect(take["title"] as? String == "Talk" && take["note"] as? String == "first draft")
    #expect(take["markTexts"] as? [String] == ["salary"], "\(take)")
  }

  @Test(
    "Frames lost in a pause of a killed take are not counted as filled", arguments: [false, true])
  func pause(isSplit: Bool) throws {
    try kill(
      "a.wav --split 1h --buffer 200ms",
      after: """
        captured 0.3; $recorder pause > said; \(isSplit ? "$recorder split > said" : "")
        pid=$("$recorder" status --json | number pid)
        halted "$pid" 1.5; captured +0.2
        $recorder resume > said; captured +0.5
        "$recorder" status --json > before.json
        """)
    let status = try parsed(String(decoding: try studio.scratch.read("before.json"), as: UTF8.self))
    let before = try #require((status["recordings"] as? [[String: Any]])?.first)
    _ = try studio.run("$recorder recover > said")
    let takes = try #require(try studio.json("takes")["takes"] as? [[String: Any]])
    var sums = ["onDisk": 0, "filled": 0, "lost": 0, "discarded": 0, "captured": 0]
    for take in takes {
      let path = try #require(take["path"] as? String)
      let frames = try #require(take["frames"] as? [String: Int])
      for (key, value) in frames { sums[key]? += value }
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(take["bytes"] as? Int == attributes[.size] as? Int)
      guard let sidecar = take["sidecar"] as? String else { continue }
      let stored = try parsed(String(contentsOfFile: sidecar, encoding: .utf8))
      #expect(stored["bytes"] as? Int == take["bytes"] as? Int, "\(stored)")
    }
    #expect(takes.contains { $0["sidecar"] is String }, "\(takes)")
    let frames = try #require(before["frames"] as? [String: Int])
    #expect(
      sums["lost"] == frames["lost"] && sums["filled"] == frames["filled"], "\(sums) \(frames)")
    #expect(sums["discarded"] == frames["discarded"], "\(sums) \(frames)")
  }

  @Test(
    "A file that could not get its name at the end of its take is found", arguments: [false, true])
  func unnamed(isRecordLost: Bool) throws {
    _ = try studio.start("sub/a.wav --title Talk --note draft")
    let outcome = try studio.run(
      """
      captured 0.2; chmod 500 sub; "$recorder" stop > said; echo $?; chmod 700 sub; ls -A sub
      "$recorder" takes | head -n 1
      \(isRecordLost ? "rm $state/sessions/*.json" : "")
      "$recorder" recover \(isRecordLost ? "sub" : "") > said; echo $?; ls -A sub
      """)
    #expect(
      outcome.output == "14\n.a.wav.part\nThere are no takes.\n0\na-recovered.wav\n",
      "\(outcome)")
    let takes = try #require(try studio.json("takes")["takes"] as? [[String: Any]])
    #expect(takes.count == 1 && takes[0]["name"] as? String == "default", "\(takes)")
    #expect(takes[0]["title"] as? String == "Talk" && takes[0]["note"] as? String == "draft")
  }

  @Test(
    "The gaps of a recovered take are at the positions of its device", arguments: ["wav", "opus"])
  func gaps(format: String) throws {
    try kill(
      "a.\(format) --buffer 200ms --rate 16000",
      after: """
        captured 1; pid=$("$recorder" status --json | number pid)
        halted "$pid" 1; captured +1; "$recorder" status --json > before.json
        """)
    let status = try parsed(String(decoding: studio.scratch.read("before.json"), as: UTF8.self))
    let before = try #require((status["recordings"] as? [[String: Any]])?.first)
    _ = try studio.run("$recorder recover > said")
    let take = try #require((try studio.json("takes")["takes"] as? [[String: Any]])?.first)
    let positions = try [before, take].map { facts in
      try #require(facts["gaps"] as? [[String: Any]]).compactMap { $0["position"] as? Int }
    }
    #expect(positions[0].count == positions[1].count && !positions[0].isEmpty)
    // The journal has positions at the rate of the file.
    for (live, recovered) in zip(positions[0], positions[1]) {
      #expect(abs(live - recovered) <= 3, "\(positions)")
    }
  }

  @Test("takes lists no file twice if it runs during a recovery")
  func listedOnce() throws {
    for round in 0..<(isThorough ? 30 : 5) {
      try kill("r\(round).wav")
      let outcome = try studio.run(
        """
        "$recorder" recover > said & recovery=$!
        while kill -0 $recovery 2> /dev/null; do "$recorder" takes > /dev/null; done; wait $recovery
        grep -c 'r\(round)-recovered.wav"' $state/takes.jsonl || cat said
        """)
      #expect(outcome.output == "1\n", "\(outcome)")
    }
  }

  @Test("Marks that FLAC and Opus cannot hold go into a sidecar", arguments: ["flac", "opus"])
  func sidecar(format: String) throws {
    try kill("a.\(format)", after: "captured 0.7; $recorder mark here; captured +0.3")
    #expect(try studio.run("$recorder recover a.\(format)").code == 0)
    #expect(try names() == ["a-recovered.\(format)", "a-recovered.\(format).json"])
    #expect(try studio.run("grep -q here a-recovered.\(format).json").code == 0)
  }

  @Test("recover replaces no file")
  func taken() throws {
    try studio.run("echo mine > a-recovered.wav")
    try kill("a.wav")
    #expect(try studio.run("$recorder recover").output.contains("a-recovered-002.wav"))
    #expect(try studio.run("cat a-recovered.wav").output == "mine\n")
  }

  @Test("A running recording is not recovered, and its session is named")
  func live() throws {
    _ = try studio.start("a.wav --name talk")
    for path in ["a.wav", ".a.wav.part"] {
      let outcome = try studio.run("$recorder recover \(path)")
      #expect(outcome.code == 11 && outcome.errors.contains("\"talk\" (process"))
    }
    #expect(try studio.run("$recorder recover").code == 0)
    #expect(try studio.run("XDG_STATE_HOME=$HOME/other $recorder recover a.wav").code == 11)
    #expect(try studio.run("$recorder stop talk").code == 0)
    #expect(try names() == ["a.wav"])
  }

  @Test("A foreign part is reported, and stays", arguments: ["text", "raw", "directory"])
  func foreign(kind: String) throws {
    let make = ["text": "echo x > .a.wav.part", "raw": "echo x > .a.raw.part"]
    let name = kind == "raw" ? ".a.raw.part" : ".a.wav.part"
    try studio.run(make[kind] ?? "mkdir .a.wav.part")
    let outcome = try studio.run("$recorder recover \(kind == "directory" ? "a.wav" : name)")
    #expect(outcome.code == (kind == "directory" ? 13 : 16), "\(outcome)")
    #expect(try studio.run("ls -d \(name)").code == 0)
  }

  @Test("A start with the same path recovers the part of a dead session, and says so")
  func start() throws {
    try kill("a.wav")
    let outcome = try studio.run("start a.wav")
    #expect(outcome.code == 0 && outcome.errors.contains("a-recovered.wav"), "\(outcome)")
    #expect(try studio.run("$recorder stop").code == 0)
    #expect(try names() == ["a-recovered.wav", "a.wav"])
  }

  /// The most frames that may be missing: a block of FLAC and one more frame, 150 ms of Opus, 1 s
  /// of the other formats. Two periods are allowed in addition.
  static let promises = [
    (format: "wav", most: 48_000), (format: "flac", most: 4_097), (format: "opus", most: 7_200),
    (format: "raw", most: 48_000), (format: "caf", most: 48_000), (format: "aiff", most: 48_000),
  ]
  private static let unwritten = 960

  @Test("A take killed at any moment opens everywhere and is an exact prefix", arguments: promises)
  func anyMoment(format: String, most: Int) throws {
    let (rounds, width) = isThorough ? (60, 10) : (8, 4)
    var random = SeededGenerator(seed: UInt64(most + format.utf8.count))
    var losses: [Int] = []
    for first in stride(from: 0, to: rounds, by: width) {
      let pauses = (first..<min(rounds, first + width)).map { _ in
        Double.random(in: 0.05...2, using: &random)
      }
      losses += try killTogether(format, pauses)
    }
    losses.sort()
    print(
      "\(format) killed \(rounds) times: lost \(losses[losses.count / 2]) frames (median), "
        + "\(losses.last ?? 0) (most)")
    #expect(losses.allSatisfy { $0 <= most + Self.unwritten }, "\(losses)")
  }

  /// Kills each session after the given number of seconds, recovers the takes, and returns how many
  /// frames each of them lost.
  private func killTogether(_ format: String, _ pauses: [Double]) throws -> [Int] {
    let kills = pauses.enumerated().map { index, pause in
      """
      (set -- $(start --buffer 2s --json --name n\(index) t\(index).\(format) | number pid)
      moment \(pause); waited $1 > s\(index).waits; $recorder status --json > s\(index).json
      from=$(date +%s%N); kill -KILL $1; echo $(($(date +%s%N) - from)) > s\(index).late
      ended $1) &
      """
    }
    let outcome = try studio.run(
      kills.joined(separator: "\n") + "\nwait; $recorder recover --json .", limit: .seconds(60))
    #expect(outcome.code == 0, "\(outcome)")
    let takes = try #require(try parsed(outcome.output)["recovered"] as? [[String: Any]])
    #expect(takes.count == pauses.count)
    defer { _ = try? studio.run("rm -f t*.* s*.* .t* decoded*") }
    let names = pauses.indices.map { "t\($0)-recovered.\(format)" }
    let files = try studio.decoded(names)
    return try pauses.indices.map { index in
      let take = takes.first { ($0["path"] as? String)?.hasSuffix("/" + names[index]) == true }
      let lost = try #require((take?["frames"] as? [String: Any])?["lost"] as? Int, "\(takes)")
      try expectAlike(files[index], names[index], format, hasGaps: lost > 0)
      return try captured(index) - files[index].count
    }
  }

  /// Returns the number of frames that the session had captured when it was killed, without those
  /// that its threads could not write because they had no processor.
  private func captured(_ index: Int) throws -> Int {
    let status = try parsed(String(decoding: studio.scratch.read("s\(index).json"), as: UTF8.self))
    let all = status["recordings"] as? [[String: Any]] ?? []
    let mine = try #require(all.first { $0["name"] as? String == "n\(index)" })
    let said = try #require((mine["frames"] as? [String: Any])?["captured"] as? Int)
    let late = try studio.run("cat s\(index).late").output
    let waits = try #require(Int(try studio.run("cat s\(index).waits").output.dropLast()))
    // The time of the kill counts for 20 ms at most: while the machine hangs, the session does not
    // capture either.
    return said + (min(Int(late.dropLast()) ?? 0, 20_000_000) - waits) * 48 / 1_000_000
  }

  /// Expects that every program reads the same frames from a file, and that the frames are the
  /// beginning of the ramp. If a disk hangs for longer than the buffer, the take has gaps, and says
  /// so.
  private func expectAlike(
    _ numbers: [UInt32], _ name: String, _ format: String, hasGaps: Bool
  ) throws {
    if format != "opus", !hasGaps { #expect(firstBreak(in: numbers) == nil, "\(name)") }
    if format != "raw" {
      let info = try studio.json("info \(name)")["files"] as? [[String: Any]]
      #expect(info?.first?["frames"] as? Int == numbers.count, "\(name)")
    }
    if format == "wav" || format == "flac" {
      #expect(try studio.run("soxi -s \(name)").output == "\(numbers.count)\n")
      #expect(try studio.soundBytes(name).map(Studio.ramp) == numbers, "\(name)")
    }
  }
}
