import Foundation
import Support
import Testing

@Suite("A tap of a running recording", .timeLimit(.minutes(10)))
struct TapTests {
  private static let rounds = isThorough ? 63 : 3

  @Test("Readers at random times, 16 together, get exact excerpts, and the take loses nothing")
  func random() throws {
    let studio = try Studio()
    var generator = SystemRandomNumberGenerator()
    var readers = ""
    for round in 0..<Self.rounds {
      readers += "pids=\n"
      for number in 0..<16 {
        let rest = Double(Int.random(in: 0..<400, using: &generator)) / 1_000
        readers += "reader \(round)-\(number) \(rest) \(number * 4_000 + 4) & pids=\"$pids $!\"\n"
      }
      readers += "wait $pids\n"
    }
    // A further reader is stopped all the time. At 96 kHz it is behind after 4 s.
    let outcome = try studio.run(
      """
      reader() { moment $2; "$recorder" tap --json 2> $1.json | head -c $3 > $1.raw; }
      start -q --rate 96k a.wav > /dev/null
      "$recorder" tap --json > stopped.raw 2> stopped.json & stopped=$!
      await [ -s stopped.raw ]; kill -STOP $stopped
      \(readers)
      captured 9; "$recorder" stop --json > result.json; echo $?; number onDisk < result.json
      kill -CONT $stopped; wait $stopped; echo $?
      """, limit: .seconds(60 + 8 * Self.rounds))
    let lines = outcome.output.split(separator: "\n").compactMap { Int($0) }
    try #require(lines.count == 3 && outcome.errors == "", "\(outcome)")
    #expect(lines[0] == 0 && lines[2] == 14, "\(outcome)")
    for round in 0..<Self.rounds {
      for number in 0..<16 {
        let (numbers, report) = try received("\(round)-\(number)", in: studio)
        #expect(numbers.count == number * 1_000 + 1 && report["lost"] as? Int == 0, "\(report)")
      }
    }
    #expect(try lostFrames("stopped", of: lines[1], in: studio) > 0)
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    #expect(numbers.count == lines[1] && firstBreak(in: numbers) == nil)
  }

  @Test("A stopped reader misses a counted number of frames, and no other reader does")
  func stalled() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      mkfifo hold; start -q --duration 12s a.wav > /dev/null
      "$recorder" tap --json > stopped.raw 2> stopped.json & stopped=$!
      "$recorder" tap --json > hold 2> late.json & late=$!
      exec 9< hold; await [ -s stopped.raw ]; kill -STOP $stopped
      "$recorder" tap --json > fast.raw 2> fast.json; echo $?
      "$recorder" wait -q > /dev/null; echo $?
      kill -CONT $stopped; wait $stopped; echo $?
      cat <&9 > late.raw; wait $late; echo $?
      """)
    #expect(outcome.output == "0\n0\n14\n0\n", "\(outcome)")
    #expect(try lostFrames("stopped", of: 576_000, in: studio) > 0)
    #expect(try lostFrames("fast", of: 576_000, in: studio) == 0)
    #expect(
      try lostFrames("late", of: 576_000, in: studio) == 0,
      "the command keeps the sound for a program that reads after the end")
  }

  /// Returns the sound and the report of a reader. The sound must be an excerpt of the take.
  private func received(
    _ name: String, in studio: Studio
  ) throws -> (numbers: [UInt32], report: [String: Any]) {
    let text = String(decoding: try studio.scratch.read(name + ".json"), as: UTF8.self)
    let report = try parsed(text.split(separator: "\n").last.map(String.init) ?? "")
    let numbers = try studio.ramp(name + ".raw")
    let first = try #require(report["position"] as? Int, "\(name): \(text)")
    let error = firstBreak(in: numbers, from: UInt32(first))
    #expect(error == nil && !numbers.isEmpty, "\(name): \(text)")
    return (numbers, report)
  }

  /// Checks the sound and the report of a reader, and returns the number of frames that it missed.
  private func lostFrames(_ name: String, of length: Int, in studio: Studio) throws -> Int {
    let (numbers, report) = try received(name, in: studio)
    let first = try #require(report["position"] as? Int)
    let lost = try #require(report["lost"] as? Int, "\(report)")
    #expect(numbers.count == report["frames"] as? Int, "\(report)")
    #expect(numbers.count + lost == length - first, "\(report)")
    return lost
  }

  @Test("A WAV stream to a file has a header with its length at the end")
  func header() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q a.wav > /dev/null
      "$recorder" tap -f wav > tap.wav 2> said & tap=$!
      await '[ "$(stat -c %s tap.wav)" -gt 9999 ]'
      "$recorder" stop -q > /dev/null; wait $tap; echo $?
      "$recorder" start -q -f wav -d test:tone --duration 0.2 - > start.wav 2> said; echo $?
      "$recorder" start -q -f wav -d test:tone --duration 0.2 - 2> said | cat > pipe.wav
      """)
    #expect(outcome.output == "0\n0\n", "\(outcome)")
    for (name, isCorrected) in [("tap.wav", true), ("start.wav", true), ("pipe.wav", false)] {
      let bytes = try studio.scratch.read(name)
      let size = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect((size == bytes.count - 8) == isCorrected, "\(name): \(size), \(bytes.count)")
    }
  }

  @Test("A slow reader gets the rest during a pause, and learns that it missed the last frames")
  func paused() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" permission grant --as hosting > /dev/null; start -q a.wav > /dev/null
      '\(try Products.path("hosting"))' read > library & library=$!
      "$recorder" tap --json > a.raw 2> a.json & tap=$!
      await '[ -s library ] && [ -s a.raw ]'; kill -STOP $library $tap
      captured +8; "$recorder" pause > /dev/null; kill -CONT $library $tap
      # The kernel holds 0.2 MB, and the recording 1 MiB.
      await '[ "$(stat -c %s a.raw)" -gt 1000000 ]'
      "$recorder" stop --json | number onDisk
      wait $tap; echo $?; wait $library; tail -n 1 library
      """)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 3, "\(outcome)")
    #expect(lines[1] == "14" && lines[2].hasSuffix("because they were read too late"), "\(outcome)")
    #expect(try lostFrames("a", of: #require(Int(lines[0])), in: studio) > 0)
  }

  @Test("A library that was suspended beyond the end of the recording counts the missed frames")
  func suspended() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" permission grant --as hosting > /dev/null; start -q a.wav > /dev/null
      '\(try Products.path("hosting"))' read > library & library=$!
      await [ -s library ]; kill -STOP $library; captured +8
      "$recorder" stop --json | number onDisk; over; kill -CONT $library; wait $library
      tail -n 1 library
      """)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 2, "\(outcome)")
    let length = try #require(Int(lines[0]))
    let words = try #require(
      lines[1].wholeMatch(
        of: /the last (\d+) frames were missed, because they were read too late/))
    let missed = try #require(Int(words.1))
    // The kernel holds 0.2 MB, and the recording 1 MiB.
    #expect(missed > 10_000 && missed < length, "\(outcome)")
  }

  @Test("A killed session, a full stdout and a missing recording have codes of their own")
  func failures() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" tap > out; echo $?
      pid=$(start --json a.wav | number pid)
      "$recorder" tap > /dev/full; echo $?
      "$recorder" tap other > out; echo $?
      "$recorder" tap --track mic > out; echo $?
      "$recorder" tap -f flac > out; echo $?
      "$recorder" tap -c 3 > out; echo $?
      "$recorder" tap --deny > out; echo $?
      { "$recorder" tap - > a.raw; echo $?; } & await [ -s a.raw ]; kill -KILL $pid; wait
      """)
    #expect(outcome.output == "10\n13\n10\n10\n64\n64\n21\n14\n", "\(outcome)")
    #expect(outcome.errors.contains("was interrupted"), "\(outcome)")
    #expect(outcome.errors.contains("stdout"), "\(outcome)")
  }

  @Test(
    "A session that may open few further files refuses the first reader, and names the reason",
    .requires(tool: "prlimit"))
  func descriptors() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      """
      open=$(ls /proc/\(process)/fd | wc -l)
      prlimit --pid \(process) --nofile=$((open + 10)):
      "$recorder" tap > out; echo $?; prlimit --pid \(process) --nofile=1024:
      "$recorder" stop -q > /dev/null; echo $?
      """)
    #expect(outcome.output == "1\n0\n", "\(outcome)")
    #expect(outcome.errors.contains("limit of open files"), "\(outcome)")
  }

  @Test("A paused or armed recording is announced, and its sound follows")
  func waiting() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q a.wav > /dev/null; "$recorder" pause > /dev/null
      "$recorder" tap default - > a.raw 2> a.err & tap=$!; await grep -q paused a.err
      "$recorder" resume > /dev/null; await [ -s a.raw ]; "$recorder" stop > /dev/null
      wait $tap; echo $?
      start -q --armed b.wav > /dev/null
      "$recorder" tap > b.raw 2> b.err & tap=$!; await grep -q begun b.err
      "$recorder" trigger > /dev/null; await [ -s b.raw ]; "$recorder" stop > /dev/null
      wait $tap; echo $?
      """)
    #expect(outcome.output == "0\n0\n", "\(outcome)")
    for name in ["a.raw", "b.raw"] {
      let numbers = try studio.ramp(name)
      #expect(firstBreak(in: numbers, from: numbers.first ?? 0) == nil && numbers.count > 0)
    }
  }

  @Test("A reader that loses its permission ends with 24, and the recording continues")
  func revoked() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q a.wav > /dev/null
      "$recorder" tap --no-prompt --as notes > a.raw; echo $?
      "$recorder" permission grant --as notes > /dev/null
      "$recorder" tap --as notes > a.raw & tap=$!; await [ -s a.raw ]
      "$recorder" permission revoke --as notes > /dev/null; wait $tap; echo $?
      "$recorder" tap > b.raw & tap=$!; await [ -s b.raw ]
      "$recorder" permission revoke > /dev/null; wait $tap; echo $?
      """)
    #expect(outcome.output == "20\n24\n24\n", "\(outcome)")
    let log = try studio.json("permission log")["events"] as? [[String: Any]]
    let taps = log?.filter { $0["event"] as? String == "tap" }
    #expect(taps?.map { $0["client"] as? String } == ["notes", "*"], "\(taps ?? [])")
  }

  @Test("Each reader chooses rate, channels and format, also through other programs")
  func formats() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q --duration 4s a.wav > /dev/null
      "$recorder" tap -r 16k -c 1 -f wav > a16.wav & "$recorder" tap -b float > float.raw &
      "$recorder" tap -f wav | ffmpeg -v error -i - -y ffmpeg.wav &
      "$recorder" tap | aplay -q -D null -f dat &
      wait; for name in a16 ffmpeg; do soxi -r $name.wav; soxi -c $name.wav; done
      """)
    #expect(outcome.errors == "", "\(outcome)")
    #expect(outcome.output == "16000\n1\n48000\n2\n", "\(outcome)")
    let bytes = try studio.scratch.read("a16.wav").count
    #expect(abs(bytes - 2 * 16_000 * 7 / 2) < 32_000, "\(bytes) bytes")
    let piped = Studio.ramp(try #require(try studio.soundBytes("ffmpeg.wav")))
    #expect(firstBreak(in: piped, from: piped.first ?? 0) == nil && piped.count > 96_000)
    #expect(try studio.scratch.read("float.raw").count > 4 * 2 * 96_000)
  }
}
