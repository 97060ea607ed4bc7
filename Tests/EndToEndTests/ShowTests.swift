import Foundation
import Support
import Testing

@Suite("The picture of a take", .timeLimit(.minutes(5)))
struct ShowTests {
  @Test("Each column shows the levels of its samples", arguments: ["wav", "flac", "aiff"])
  func levels(ending: String) throws {
    let studio = try Studio()
    #expect(
      try studio.run(
        """
        sox -D -n -r 48000 -c 1 -b 16 loud.wav synth 1 sine 480 gain -6
        sox -D -n -r 48000 -c 1 -b 16 quiet.wav synth 1 sine 480 gain -40
        sox loud.wav quiet.wav mono.wav; sox -D -M mono.wav mono.wav a.\(ending) remix 1 2v0.5
        """
      ).code == 0)
    let json = try studio.json("show --width 10 --from 500ms --to 1.5 a.\(ending)")
    let channels = try #require(json["channels"] as? [[String: Any]])
    #expect(channels.count == 2 && json["from"] as? Double == 0.5 && json["to"] as? Double == 1.5)
    for (channel, offset) in zip(channels, [0.0, -6.02]) {
      let peaks = try #require(channel["peak"] as? [Double])
      #expect(peaks.count == 20)
      #expect(peaks[..<10].allSatisfy { abs($0 + 6.02 - offset) < 0.1 }, "\(peaks)")
      #expect(peaks[10...].allSatisfy { abs($0 + 40 - offset) < 0.2 }, "\(peaks)")
    }
  }

  @Test("A file of several streams is shown as a whole, and a part of it as well")
  func streams() throws {
    let studio = try Studio()
    let made = try studio.run(
      """
      sox -D -n -r 48000 -c 1 -b 16 loud.wav synth 1 sine 480 gain -6
      sox -D -n -r 48000 -c 1 -b 16 quiet.wav synth 1 sine 480 gain -40
      for n in loud quiet; do "$recorder" export -q $n.wav $n.ogg; done
      cat loud.ogg quiet.ogg > all.ogg; "$recorder" show --spectrogram --width 40 all.ogg
      """)
    #expect(made.code == 0, "\(made)")
    for (options, loud) in [("", 10), ("--from 1", 0), ("--from 500ms --to 1.5", 10)] {
      let json = try studio.json("show --width 10 \(options) all.ogg")
      let channels = try #require(json["channels"] as? [[String: Any]])
      let peaks = try #require(channels.first?["peak"] as? [Double])
      #expect(peaks.count == 20)
      // The encoder changes the levels near the end of a stream.
      #expect(peaks[..<loud].allSatisfy { abs($0 + 6) < 2 }, "\(peaks)")
      #expect(peaks[loud...].allSatisfy { $0 < -30 }, "\(peaks)")
    }
  }

  @Test("A part that would end after the sound is noted, also by an export")
  func exceeded() throws {
    let outcome = try Studio().run(
      """
      sox -D -n -r 48000 -c 1 -b 16 a.wav synth 2 sine 480
      "$recorder" show --to 30 a.wav > said; "$recorder" export --to 30 a.wav b.wav > said
      "$recorder" export --to 2 a.wav c.wav > said
      """)
    let note = "recorder: --to 0:30.000 is past the end of the sound at 0:02.000\n"
    #expect(outcome.code == 0 && outcome.errors == note + note, "\(outcome)")
  }

  @Test("The picture fits a pipe or the width that is asked for, and shows marks")
  func text() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q a.wav > said.txt && captured 0.3 && "$recorder" mark "$(printf 'one\\033[2J')" &&
      captured +0.2 && "$recorder" stop > said.txt; "$recorder" show @1; "$recorder" show --width 20 a.wav
      """)
    #expect(outcome.code == 0 && !outcome.isColored, "\(outcome)")
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 || $0.contains("a.wav") })
    #expect(outcome.output.contains("^ 0:00.") && outcome.output.contains("one\\x1B"))
  }

  @Test(
    "What cannot be shown is refused by its code",
    arguments: [
      ("none.wav", 10), ("text.wav", 16), ("--from 9 a.wav", 64), ("@9", 10),
      ("--width 0 a.wav", 64),
    ])
  func refusals(arguments: String, code: Int) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "echo text > text.wav; sox -D -n -r 8000 -b 16 a.wav trim 0 1; \"$recorder\" show \(arguments)"
    )
    #expect(outcome.code == Int32(code) && outcome.errors.hasPrefix("recorder: "), "\(outcome)")
  }

  @Test("Reading a long file shows progress, and Ctrl-C leaves no file", .requires(tool: "tmux"))
  func interrupted() throws {
    let studio = try Studio()
    // The file has hours of silence that take no space on the disk.
    try studio.run(
      """
      mkdir room; cd room; python3 - <<'END'
      import struct
      size = 2_000_000_000
      head = b"RIFF" + struct.pack("<I", size + 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 2, 48000, 192000, 4, 16)
      with open("long.wav", "wb") as file:
        file.write(head + b"data" + struct.pack("<I", size)); file.truncate(size + 44)
      END
      """)
    let window = try TerminalWindow(studio)
    try window.run("cd room; \"$recorder\" show --spectrogram --png a.png long.wav; echo code=$?")
    try window.wait { $0.contains("Reading: ") && $0.contains(" %") }
    try window.press("C-c")
    let text = try window.wait { $0.contains("code=1") }.joined(separator: "\n")
    #expect(text.contains("code=130") && text.contains("interrupted"), "\(text)")
    #expect(!text.contains("Reading: "))
    #expect(try studio.run("ls -A room").output == "long.wav\n")
  }

  @Test(
    "An hour is drawn in a third of the time of ffmpeg's picture", .requires("RECORDER_TEST_EVERY"),
    .requiresReleaseBuild)
  func hour() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      sox -D -R -n -r 48000 -c 2 -b 16 m.wav synth 60 pinknoise gain -6 && sox m.wav a.wav repeat 59
      now() { date +%s%N; }
      a=$(now); "$recorder" show a.wav > said.txt; b=$(now)
      ffmpeg -v error -i a.wav -filter_complex showwavespic -frames:v 1 a.png; c=$(now)
      echo $((b - a)) $((c - b))
      """, limit: .seconds(300))
    let times = outcome.output.split(separator: " ").compactMap {
      Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    #expect(times.count == 2 && times[0] <= 0.33 * times[1], "\(outcome)")
  }
}
