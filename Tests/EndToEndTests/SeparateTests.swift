import Foundation
import Support
import Testing

@Suite("A take with a file for each track", .timeLimit(.minutes(15)))
struct SeparateTests {
  private let studio: Studio
  static let tracks = "--track mic=test:tone:440 --track far=test:ramp --separate"

  init() throws { studio = try Studio() }

  /// Returns all names in the home directory that begin with a letter.
  private func names(_ first: String = "a") throws -> [String] {
    try studio.run("LC_ALL=C ls -A | grep '^\\.*\(first)'").output.split(separator: "\n")
      .map(String.init)
  }

  @Test(
    "has the same frames in all files, one sidecar and one line in the list, also after a pause",
    arguments: ["wav", "flac", "opus", "caf", "aiff"])
  func aligned(ending: String) throws {
    let started = try studio.run("$recorder start a.\(ending) \(Self.tracks)")
    #expect(started.code == 0 && started.output.contains("a-mic.\(ending) and "), "\(started)")
    #expect(started.output.contains("a-far.\(ending), test:ramp"), "\(started)")
    let outcome = try studio.run(
      """
      captured 0.3 && $recorder pause -q > paused && captured +0.1 &&
      $recorder resume -q > resumed && $recorder mark -q here > marked && captured +0.3
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let both = ["a-mic.\(ending)", "a-far.\(ending)"]
    let status = try studio.json("status")["recordings"] as? [[String: Any]]
    #expect(trackFiles(status?.first) == both)
    let result = try studio.json("stop")
    #expect(trackFiles(result) == both && result["exit"] as? Int == 0, "\(result)")
    let held = (result["frames"] as? [String: Int])?["onDisk"]
    #expect(try studio.frameCounts(both) == [held, held])
    #expect(try names().sorted() == (both + ["a-mic.\(ending).json"]).sorted())
    #expect(try studio.takes().map(trackFiles) == [both])
    #expect(try studio.run("$recorder takes").output.contains("far: a-far.\(ending), test:ramp"))
    #expect(try studio.run("$recorder info @1").output.contains("a-far.\(ending), test:ramp"))
    if ending == "opus" { return }
    let numbers = try studio.decoded(both[1])
    #expect(numbers.first == 0 && numbers.jumps.count == 1 && numbers.count == held)
    let tone = try studio.decoded(both[0]).map { Int16(truncatingIfNeeded: $0) }
    let shift = numbers.indices.first { frame in
      let turn = Double(numbers[frame] % 48_000 * 440 % 48_000) / 48_000
      return tone[frame] != Int16((0.1 * sin(2 * .pi * turn) * 32_768).rounded())
    }
    #expect(shift == nil)
  }

  @Test("gives all files the next free number if one name is taken, and replaces none")
  func numbered() throws {
    let outcome = try studio.run(
      """
      echo mine > a-far.wav
      for n in 1 2; do
        $recorder start -q a.wav \(Self.tracks) > said && captured 0.1 && $recorder stop -q > said || exit
      done; cat a-far.wav
      """)
    #expect(outcome.output == "mine\n", "\(outcome)")
    let expected = [
      "a-far-002.wav", "a-far-003.wav", "a-far.wav", "a-mic-002.wav", "a-mic-002.wav.json",
      "a-mic-003.wav", "a-mic-003.wav.json",
    ]
    #expect(try names() == expected)
  }

  @Test("is found by the name that its files share")
  func shared() throws {
    let outcome = try studio.run(
      """
      $recorder start -q sep.wav \(Self.tracks) > said && captured 0.1 && $recorder stop -q > said
      $recorder info sep.wav; echo code $?; $recorder play sep.wav -d test:null; echo code $?
      $recorder info @sep > said; echo code $?; grep -o 'sep-far.wav' said | head -n 1
      $recorder rename -q @sep.wav talk > said; ls *.wav
      """)
    #expect(
      outcome.output
        == "code 10\ncode 10\ncode 0\nsep-far.wav\ntalk-far.wav\ntalk-mic.wav\n", "\(outcome)")
    let hint = "did you mean the take \"@sep.wav\"?"
    #expect(outcome.errors.components(separatedBy: hint).count == 3, "\(outcome)")
  }

  @Test("moves the old files to the trash with --force, all in one change")
  func replaced() throws {
    let outcome = try studio.run(
      """
      echo old > a-far.wav; echo old > a-mic.wav
      $recorder start -q a.wav \(Self.tracks) --force > said && captured 0.1 && $recorder stop -q > said
      ls a*; $recorder trash -q @1 > said; $recorder undo -q > said; $recorder undo -q > said; cat a-far-restored.wav
      """)
    #expect(outcome.output.hasPrefix("a-far.wav\na-mic.wav\na-mic.wav.json\n"), "\(outcome)")
    #expect(outcome.output.hasSuffix("old\n"), "\(outcome)")
  }

  @Test(
    "is refused if its options do not fit together",
    arguments: [
      ("--separate a.wav", "--separate needs several tracks: give --meeting"),
      ("--track mic=test:tone --separate a.wav", "--separate needs several tracks"),
      (tracks + " --mix a.wav", "remove one of these options"),
      (tracks + " -", "stdout can take only one"),
      (tracks + " --channels 3 a.wav", "a track has one or two channels"),
    ])
  func refused(options: String, words: String) throws {
    let outcome = try studio.run("$recorder start \(options) > said; code=$?; ls -A; exit $code")
    #expect(outcome.code == 64 && outcome.errors.contains(words), "\(outcome)")
    #expect(!outcome.output.contains("a-mic") && studio.processes().isEmpty)
  }

  @Test("may have more channels than one file of its format")
  func channels() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.opus \(Self.tracks) --track c=test:ramp > said && captured 0.2 &&
      $recorder stop -q > said; ls a*
      """)
    #expect(outcome.output == "a-c.opus\na-far.opus\na-mic.opus\na-mic.opus.json\n", "\(outcome)")
  }

  @Test("is exported track by track, and as a mix of all files", arguments: ["wav", "flac"])
  func exported(ending: String) throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.\(ending) \(Self.tracks) > said && captured 0.3 && $recorder stop -q > said
      $recorder export -q @1 far.wav --track far > said &&
      $recorder export -q @1 mix.wav --mix > said &&
      $recorder export -q @1 cut.wav --track far --from 0.1 > said; echo $?
      $recorder export @1 b.wav --track room
      """)
    #expect(outcome.output == "0\n" && outcome.code == 10, "\(outcome)")
    #expect(outcome.errors.contains("it has \"mic\" and \"far\""), "\(outcome)")
    let far = try studio.decoded("far.wav")
    #expect(try far == studio.decoded("a-far.\(ending)") && !far.isEmpty)
    #expect(try studio.decoded("cut.wav") == Array(far.dropFirst(4_800)))
    let halves = try ["a-mic.\(ending)", "a-far.\(ending)", "mix.wav"].map { name in
      try studio.decoded(name).map { Int(Int16(truncatingIfNeeded: $0)) }
    }
    #expect(halves[2].count == far.count)
    let isMean = halves[2].indices.allSatisfy { frame in
      abs(halves[2][frame] - (halves[0][frame] + halves[1][frame]) / 2) <= 2
    }
    #expect(isMean)
  }

  @Test("is shown with all its tracks, or with the first if the file of another is missing")
  func shown() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.wav \(Self.tracks) > said && captured 0.3 && $recorder stop -q > said
      $recorder show --width 40 @1; $recorder show --page a.html @1 > said &&
      $recorder show --spectrogram --width 40 @1 > said
      """)
    #expect(outcome.code == 0 && outcome.output.contains("\nmic\n"), "\(outcome)")
    #expect(outcome.output.contains("\nfar\n"), "\(outcome)")
    let page = try studio.run("cat a.html").output
    #expect(page.contains("src=\"data:audio/flac") && page.contains(">far<"))
    let shown = try studio.json("show --width 10 @1")
    #expect((shown["channels"] as? [Any])?.count == 4)
    let tracks = shown["tracks"] as? [[String: Any]]
    #expect(tracks?.map { $0["name"] as? String } == ["mic", "far"], "\(shown)")
    let far = try studio.json("show --width 10 a-far.wav")
    #expect((far["channels"] as? [Any])?.count == 2)
    #expect(try studio.run("rm a-far.wav").code == 0)
    #expect(try (studio.json("show --width 10 @1")["channels"] as? [Any])?.count == 2)
  }

  @Test("is played by its first file, or by that of another track")
  func played() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.wav \(Self.tracks) > said && captured 0.3 && $recorder stop -q > said
      for track in "" "--track mic" "--track far"; do
        $recorder play -d test:null --json @1 $track | grep -o 'a-[a-z]*.wav' | head -n 1
      done
      ! $recorder play -d test:null @1 --track room
      """)
    #expect(outcome.output == "a-mic.wav\na-mic.wav\na-far.wav\n", "\(outcome)")
    #expect(outcome.errors.contains("--track plays \"far\""), "\(outcome)")
    #expect(outcome.errors.contains("it has \"mic\" and \"far\""), "\(outcome)")
  }

  @Test("goes to the trash, comes back, is renamed and is cancelled with all its files")
  func changed() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.wav \(Self.tracks) > said && captured 0.1 && $recorder stop -q > said
      $recorder trash -q @1 > said; ls | grep -c '^a-'; $recorder undo -q > said; ls a-*
      $recorder rename -q @1 b > said; ls b* ; $recorder export -q @1 far.wav --track far > said; echo $?
      $recorder takes | grep -c 'far: b-far.wav'; $recorder undo -q > said; ls a-*
      $recorder start -q c.wav \(Self.tracks) > said && captured 0.1 && $recorder cancel -q > said
      ls | grep -c '^c-'; $recorder undo -q > said; ls c-*; rm c-*
      $recorder start -q c.wav \(Self.tracks) > said && captured 0.1 &&
      $recorder cancel -q --delete > said; ls -A | grep -c 'c-'
      """)
    let files = { (name: String) in "\(name)-far.wav\n\(name)-mic.wav\n\(name)-mic.wav.json\n" }
    #expect(
      outcome.output == "0\n" + files("a") + files("b") + "0\n1\n" + files("a") + "0\n"
        + files("c") + "0\n", "\(outcome)")
  }

  @Test("is found by the name of any file, and is changed only by the name of the first file")
  func named() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.wav \(Self.tracks) > said && captured 0.1 && $recorder stop -q > said
      $recorder takes a-far.wav | grep -q a-mic.wav; echo $?
      $recorder trash a-far.wav; echo $?; $recorder rename a-far.wav b; echo $?; ls a-*
      """)
    let files = "a-far.wav\na-mic.wav\na-mic.wav.json\n"
    #expect(outcome.output == "0\n10\n10\n" + files, "\(outcome)")
    let told = "\"a-far.wav\" is a track of the take \"\(studio.scratch.path("a-mic.wav"))\""
    #expect(outcome.errors.components(separatedBy: told).count == 3, "\(outcome)")
    #expect(outcome.errors.contains("or \"@1\"") && !outcome.errors.contains("gio"), "\(outcome)")
  }

  @Test("keeps segments as a whole: --keep deletes all files of an old one")
  func kept() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.wav --keep 2 \(Self.tracks) > said && captured 0.1
      for n in 1 2 3; do $recorder split -q > said && captured +0.2; done
      $recorder stop -q > said; ls a*
      """)
    let sounds = outcome.output.split(separator: "\n").map(String.init)
      .filter { $0.hasSuffix(".wav") }
    #expect(
      sounds.sorted() == ["a-far-003.wav", "a-far-004.wav", "a-mic-003.wav", "a-mic-004.wav"],
      "\(outcome)")
    let counts = try studio.frameCounts([
      "a-mic-003.wav", "a-far-003.wav", "a-mic-004.wav", "a-far-004.wav",
    ])
    #expect(counts[0] == counts[1] && counts[2] == counts[3] && counts.allSatisfy { $0 > 0 })
    let numbers = try studio.decoded(["a-far-003.wav", "a-far-004.wav"])
    #expect(firstBreak(in: Array(numbers.joined()), from: numbers[0][0]) == nil)
  }

  @Test(
    "runs hooks and deliveries once for each segment, with all files", arguments: [false, true])
  func hooks(isDelivered: Bool) throws {
    let outcome = try studio.run(
      """
      printf '#!/bin/sh\\necho "$RECORDER_TAKE_PATHS" >> heard\\n' > hook; chmod +x hook
      $recorder start -q a.wav --on-segment ./hook \(isDelivered ? "--deliver" : "") \
        \(Self.tracks) > said && captured 0.1 && $recorder split -q > said && captured +0.1 &&
      $recorder stop -q > said; await '[ "$(wc -l < heard)" = 4 ]'; sed 's|.*/||' heard
      """)
    #expect(
      outcome.output == "a-mic.wav\na-far.wav\na-mic-002.wav\na-far-002.wav\n", "\(outcome)")
  }
}

/// Returns the names of the files of a take's tracks.
func trackFiles(_ take: [String: Any]?) -> [String] {
  (take?["tracks"] as? [[String: Any]] ?? []).map { track in
    ((track["file"] as? String) ?? "").split(separator: "/").last.map(String.init) ?? ""
  }
}

extension Studio {
  /// Returns the numbers of frames that `recorder info` finds in some files.
  func frameCounts(_ names: [String]) throws -> [Int] {
    let files = try json("info \(names.joined(separator: " "))")["files"]
    return (files as? [[String: Any]] ?? []).map { $0["frames"] as? Int ?? -1 }
  }

  /// Returns the list of takes.
  func takes(_ search: String = "") throws -> [[String: Any]] {
    try json("takes \(search)")["takes"] as? [[String: Any]] ?? []
  }
}
