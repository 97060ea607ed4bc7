import Foundation
import Support
import Testing

/// A kind of sound, and the command that makes it as `a.wav`.
struct Material: Sendable, CustomTestStringConvertible {
  let name: String
  let command: String

  /// Whether the peaks allow the target loudness.
  var isReachable = true

  var testDescription: String { name }

  /// All material, including sounds that are too simple to compare their true peaks.
  static let every =
    all + [
      Material(
        name: "full-scale sine", command: "sox -D -n -r 48000 -c 2 -b 16 a.wav synth 5 sine 997"),
      Material(
        name: "a click in silence",
        command: "sox -D -n -r 48000 -c 1 -b 16 a.wav synth 0.002 square 500 pad 2 3",
        isReachable: false),
    ]

  static let all = [
    Material(
      name: "noise",
      command: "sox -D -R -n -r 48000 -c 2 -b 24 a.wav synth 4 pinknoise gain -8"),
    Material(
      name: "speech",
      command: "espeak-ng -w s.wav 'A take in hand can be cut and sent.' && "
        + "sox s.wav -D -r 44100 -c 1 -b 16 a.wav gain -3 pad 0.5 0.5"),
    Material(
      name: "music",
      command:
        "sox -D -R -n -r 44100 -c 2 -b 24 a.wav synth 4 pluck 110 pluck 220.5 synth 4 sine "
        + "mix 330-3000 tremolo 3 60 gain -n -2"),
    Material(
      name: "quiet then loud",
      command:
        "sox -D -R -n -r 96000 -c 1 -e float -b 32 q.wav synth 3 brownnoise gain -40 && sox -D "
        + "-R -n -r 96000 -c 1 -e float -b 32 l.wav synth 3 brownnoise gain -2 && sox q.wav l.wav a.wav"
    ),
  ]
}

@Suite("Loudness in comparison with ffmpeg", .timeLimit(.minutes(10)))
struct LoudnessTests {
  @Test("A measured loudness is in the list of takes until the file changes")
  func remembered() throws {
    let studio = try Studio()
    try studio.run(
      """
      "$recorder" start -q --foreground -d test:tone --duration 1 a.wav > said.txt
      "$recorder" start -q --foreground -d test:tone --duration 1 b.wav > said.txt
      """)
    func listed() throws -> [Double?] {
      let takes = try studio.json("takes")["takes"] as? [[String: Any]] ?? []
      return takes.map { $0["loudness"] as? Double }
    }
    #expect(try listed() == [nil, nil])
    for _ in 0..<2 { try studio.run("\"$recorder\" info -q --levels a.wav") }
    let found = try listed()
    let files = try studio.json("info --levels a.wav")["files"] as? [[String: Any]]
    let levels = try #require(files?.first?["levels"] as? [String: Any])
    #expect(found[1] == nil && abs((found[0] ?? 0) - (levels["loudness"] as? Double ?? 1)) <= 0.01)
    #expect(try studio.run("wc -l < $state/loudness.jsonl").output == "1\n")
    #expect(try studio.run("\"$recorder\" takes").output.contains(" LUFS  "))
    // The take keeps its loudness after a rename and in the trash.
    try studio.run("\"$recorder\" rename @2 c > said.txt; \"$recorder\" trash @2 > said.txt")
    #expect(try listed() == found)
    try studio.run("\"$recorder\" undo > said.txt; echo x >> c.wav")
    #expect(try listed() == [nil, nil])
  }

  @Test("A normalized export stores the loudness of its take, but not if it exports a part")
  func rememberedByExport() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start -q --foreground -d test:tone --duration 3 a.wav > said.txt
      "$recorder" export -q --normalize --to 2 @1 part.wav > said.txt
      ls $state/loudness.jsonl
      "$recorder" export -q --normalize @1 one.wav > said.txt
      wc -l < $state/loudness.jsonl
      "$recorder" export -q --normalize @1 two.wav > said.txt
      "$recorder" info -q --levels a.wav > said.txt
      wc -l < $state/loudness.jsonl
      """, limit: .seconds(400))
    #expect(outcome.output == "1\n1\n", "\(outcome)")
    let takes = try studio.json("takes")["takes"] as? [[String: Any]]
    let listed = try #require(takes?.first?["loudness"] as? Double)
    #expect(abs(listed - (try Self.judged(studio, "a.wav").0)) <= 0.1)
    for name in ["one.wav", "two.wav"] {
      #expect(abs(try Self.judged(studio, name).0 + 16) < 0.11, "\(name)")
    }
  }

  /// Returns the loudness and the true peak that ffmpeg's filter measures.
  static func judged(_ studio: Studio, _ name: String) throws -> (Double, Double) {
    let outcome = try studio.run(
      "ffmpeg -hide_banner -nostats -i '\(name)' -af ebur128=peak=true -f null - 2>&1 | tail -20")
    func value(_ label: String) -> Double? {
      outcome.output.split(separator: "\n").last { $0.contains(label) }?
        .split(separator: ":").last?.split(separator: " ").first.flatMap { Double($0) }
    }
    return (try #require(value(" I:")), try #require(value(" Peak:")))
  }

  @Test("The levels agree with those of ffmpeg", arguments: Material.all)
  func levels(material: Material) throws {
    let studio = try Studio()
    let made = try studio.run(material.command)
    #expect(made.code == 0, "\(made.errors)")
    let info = try #require(
      (try studio.json("info --levels a.wav")["files"] as? [[String: Any]])?.first)
    let levels = try #require(info["levels"] as? [String: Any])
    let (integrated, peak) = try Self.judged(studio, "a.wav")
    #expect(abs(try #require(levels["loudness"] as? Double) - integrated) <= 0.1, "\(levels)")
    #expect(
      abs(try #require(levels["truePeak"] as? Double) - peak) <= 0.1, "\(levels), ffmpeg \(peak)")
  }

  @Test(
    "The result of a recording, info and show count the same clipped samples",
    arguments: ["a.wav", "a.flac"])
  func clipped(name: String) throws {
    let studio = try Studio()
    // The ramp has each 16-bit code once in 65,536 frames.
    try studio.run("$recorder start -q -d test:ramp --duration 3 \(name)")
    let recorded = try #require(try studio.json("wait")["clipped"] as? Int)
    let info = try studio.json("info --levels \(name)")["files"] as? [[String: Any]]
    let levels = try #require(info?.first?["levels"] as? [String: Any])
    let channels = try studio.json("show \(name)")["channels"] as? [[String: Any]]
    let shown = try #require(channels).flatMap { $0["clipped"] as? [Int] ?? [] }
    #expect(recorded > 0 && levels["clipped"] as? Int == recorded)
    #expect(shown.reduce(0, +) == recorded)
  }

  @Test("Largest and smallest 8-bit values are clipped")
  func clippedBytes() throws {
    let studio = try Studio()
    try studio.run(
      "printf '\\377\\376\\001\\000' | sox -t raw -r 8000 -e unsigned -b 8 -c 1 - a.wav")
    let info = try studio.json("info --levels a.wav")["files"] as? [[String: Any]]
    let levels = try #require(info?.first?["levels"] as? [String: Any])
    #expect(levels["clipped"] as? Int == 3)
  }

  @Test("Each channel of a take with several tracks counts, without the weights of 5.1")
  func tracks() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" start a.wav --track a=test:silence --track b=test:tone:1000 --track c=test:silence \
        --duration 2 --foreground -q && "$recorder" export --track b a.wav b.wav
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let loudness = try ["a.wav", "b.wav"].map { name in
      let info = try studio.json("info --levels \(name)")["files"] as? [[String: Any]]
      return (info?.first?["levels"] as? [String: Any])?["loudness"] as? Double
    }
    #expect(abs(try #require(loudness[0]) - #require(loudness[1])) < 0.1, "\(loudness)")
    // The new file has no tracks, so its loudness is that of 5.1, without its fourth channel.
    let normalized = try studio.run(
      "$recorder export --loudness -26 a.wav c.wav && $recorder export --loudness -26 a.wav d.wav")
    #expect(normalized.code == 0, "\(normalized)")
    for name in ["c.wav", "d.wav"] {
      let info = try studio.json("info --levels \(name)")["files"] as? [[String: Any]]
      let levels = try #require(info?.first?["levels"] as? [String: Any])
      #expect(abs(try #require(levels["loudness"] as? Double) + 26) < 0.2, "\(levels)")
    }
  }

  @Test("Each channel but the low-frequency one counts, with the same weight as in ffmpeg")
  func channels() throws {
    let studio = try Studio()
    for count in 6...8 {
      for channel in 1...count {
        let others = (1...count).map { $0 == channel ? "1" : "0" }.joined(separator: " ")
        let name = "\(count)-\(channel).wav"
        try studio.run(
          "sox -D -R -n -r 48000 -c 1 -b 16 m.wav synth 1 pinknoise && sox m.wav \(name) remix \(others)"
        )
        let info = try studio.json("info --levels \(name)")["files"] as? [[String: Any]]
        let levels = try #require(info?.first?["levels"] as? [String: Any])
        let (integrated, _) = try Self.judged(studio, name)
        let ours = levels["loudness"] as? Double
        #expect(
          abs((ours ?? -70) - integrated) <= 0.1, "channel \(channel) of \(count): \(ours ?? 0)")
      }
    }
  }

  @Test(
    "A normalized file has its loudness, and no peak above -1 dBTP, as ffmpeg decodes it",
    arguments: zip(
      Material.all + Material.all[1...], ["mp3", "wav", "flac", "ogg", "ogg", "flac", "opus"]))
  func normalized(material: Material, ending: String) throws {
    try check(material, ending)
  }

  @Test(
    "Every format has the loudness of every material", .requires("RECORDER_TEST_EVERY"),
    arguments: Material.every, ["wav", "flac", "ogg", "opus", "mp3"])
  func every(material: Material, ending: String) throws { try check(material, ending) }

  private func check(_ material: Material, _ ending: String) throws {
    let studio = try Studio()
    #expect(try studio.run(material.command).code == 0)
    let outcome = try studio.run(
      "\"$recorder\" export --normalize a.wav out.\(ending)", limit: .seconds(400))
    #expect(outcome.code == 0, "\(outcome.errors)")
    let (integrated, peak) = try Self.judged(studio, "out.\(ending)")
    #expect(peak <= -1, "\(peak) dBTP")
    #expect(outcome.errors.contains("warning: the loudness is") != material.isReachable)
    // ffmpeg prints tenths.
    if material.isReachable { #expect(abs(integrated + 16) < 0.11, "\(integrated) LUFS") }
  }

  @Test("If the peaks prevent a loudness, a warning says so, and the peaks stay below the limit")
  func unreachable() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -R -n -r 48000 -c 1 -b 16 a.wav synth 0.01 whitenoise fade 0 0.01 0.01 pad 0 0.5 repeat 6
      "$recorder" export --normalize --json a.wav out.wav
      """, limit: .seconds(400))
    #expect(outcome.code == 0 && outcome.errors.contains("warning: the loudness is -"))
    let file = try #require((try parsed(outcome.output)["files"] as? [[String: Any]])?.first)
    let (integrated, peak) = try Self.judged(studio, "out.wav")
    #expect(peak <= -1 && integrated < -17)
    #expect(abs(try #require(file["loudness"] as? Double) - integrated) <= 0.1)
  }

  @Test("Another loudness is reached by gain alone, and silence is refused")
  func quieter() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      \(Material.all[0].command) && "$recorder" export --loudness -23.5LUFS a.wav b.wav > said.txt
      sox -D -n -r 48000 -c 1 -b 16 quiet.wav trim 0 1; "$recorder" export --normalize quiet.wav q.wav; echo $?
      "$recorder" export --normalize --at-marks a.wav c.wav; echo $?; ls
      """, limit: .seconds(400))
    #expect(outcome.output.hasPrefix("15\n64\n") && !outcome.output.contains("q.wav"), "\(outcome)")
    let (integrated, _) = try Self.judged(studio, "b.wav")
    #expect(abs(integrated + 23.5) <= 0.1)
  }

  @Test(
    "An hour is measured within the time that ffmpeg takes", .requires("RECORDER_TEST_EVERY"),
    .requiresReleaseBuild)
  func hour() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -R -n -r 48000 -c 2 -b 16 m.wav synth 60 pinknoise gain -6 && sox m.wav a.wav repeat 59
      now() { date +%s%N; }
      a=$(now); "$recorder" info --levels a.wav > said.txt; b=$(now)
      ffmpeg -v error -nostats -i a.wav -af ebur128=peak=true -f null - ; c=$(now)
      echo $((b - a)) $((c - b))
      """, limit: .seconds(300))
    let times = outcome.output.split(separator: " ").compactMap {
      Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    #expect(times.count == 2 && times[0] <= times[1], "\(outcome)")
  }
}
