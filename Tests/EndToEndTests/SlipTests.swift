import Foundation
import Support
import Testing

/// Commands with a small mistake or at a bad moment, and the expected messages.
@Suite("A mistake in a command", .timeLimit(.minutes(10)))
struct SlipTests {
  struct Slip: CustomTestStringConvertible {
    let line: String
    var code: Int32 = 64
    /// Words that must be printed, on stdout or stderr.
    let told: [String]
    /// Words that must not be printed.
    var never: [String] = []

    var testDescription: String { line }
  }

  private func expect(_ slip: Slip, in studio: Studio) throws {
    let outcome = try studio.run(slip.line)
    let said = outcome.output + outcome.errors
    #expect(outcome.code == slip.code, "\(outcome)")
    for words in slip.told { #expect(said.contains(words), "\(words): \(outcome)") }
    for words in slip.never { #expect(!said.contains(words), "\(words): \(outcome)") }
  }

  static let valuesSlips: [Slip] = [
    Slip(line: "start a.wav --duration 90min", told: ["write \"90m\""]),
    Slip(line: "start a.wav --duration 5sec", told: ["write \"5s\""]),
    Slip(line: "start a.wav --for 10", told: ["did you mean \"--duration\"?"]),
    Slip(line: "start a.wav --duration '1 h'", told: ["write \"1h\""]),
    Slip(line: "start a.wav --duration 1 h", told: ["write \"1h\""]),
    Slip(line: "start --duration 90 min", told: ["write \"90m\""]),
    Slip(line: "start a.wav --duration 1,5", told: ["write \"1.5\""]),
    Slip(line: "start a.wav --keep 7days --split 1h", told: ["write \"7d\""]),
    Slip(line: "start a.wav --keep 1.5 --split 1h", told: ["an age with its unit such as 7d"]),
    Slip(line: "start a.wav --max-size 500mb", told: ["write \"500MB\""]),
    Slip(line: "start a.wav --max-size '4 G'", told: ["write \"4G\""]),
    Slip(line: "start a.wav --rate 44,1k", told: ["write \"44.1k\""]),
    Slip(line: "start a.wav --rate 48", told: ["write \"48k\""]),
    Slip(line: "$recorder config set rate 48", told: ["write \"48k\""]),
    Slip(line: "start a.wav --rate 500", told: ["write \"500Hz\""]),
    Slip(line: "start a.wav --rate 48 kHz", told: ["write \"48kHz\""]),
    Slip(line: "start a.wav --gain '6 dB'", told: ["write \"6dB\""]),
    Slip(line: "start a.wav --note \"a\nb\"", told: ["--note must be one line"], never: ["mark"]),
    Slip(
      line: "start a.wav --title \"$(printf %1500d 0)\"",
      told: ["--title is limited to 1000 bytes"],
      never: ["mark"]),
    Slip(line: "$recorder export a.wav", told: ["\"export\" needs an OUT"]),
    Slip(
      line: "$recorder start -d test:tone --deny a.wav", code: 21, told: ["refuses"],
      never: ["In CI", "grant --for"]),
    Slip(line: "start --name 'my rec'", told: ["write \"my-rec\""]),
    Slip(line: "start --name ü", told: ["a to z, A to Z", "write \"u\""]),
    Slip(line: "start --name Über-Größe", told: ["write \"Uber-Grosse\""]),
    Slip(line: "start --name '日本'", told: ["a to z, A to Z"], never: ["write"]),
    Slip(line: "start --as 'My App'", told: ["write \"my-app\""]),
    Slip(line: "$recorder play tick --volume 0,5", told: ["write \"0.5\""]),
    Slip(line: "$recorder sound seek tick 1min", told: ["write \"1m\""]),
    Slip(line: "$recorder meter --duration 5sec", told: ["write \"5s\""]),
    Slip(line: "$recorder permission grant --for 2hours", told: ["write \"2h\""]),
    Slip(line: "$recorder permission log --since 7days", told: ["write \"7d\""]),
    Slip(line: "$recorder devices capure", told: ["write \"capture\""]),
    Slip(
      line: "$recorder config set format mp3", told: ["converts a take to MP3"], never: ["bits"]),
    Slip(line: "start a.wav --until 18:00", told: ["did you mean \"--duration\"?"]),
    Slip(
      line: "start --at 18:00 a.wav", told: ["systemd-run --user --on-calendar"], never: ["--as"]),
    Slip(
      line: "start -t wav a.wav", told: ["did you mean \"--format\" or \"--duration\"?"]),
    Slip(line: "start '50%done.wav'", told: ["\"%d\" after a digit is not a date code"]),
    Slip(line: "start a%Q.wav", told: ["\"%Q\" is not a date code"]),
    Slip(line: "start --on-stop /etc/passwd a.wav", told: ["is not executable", "chmod +x"]),
    Slip(line: "start -f S16_LE a.wav", told: ["use wav, flac", "--bits"]),
    Slip(
      line: "$recorder start -D test:tone a.wav", told: ["did you mean \"-d\" or \"--device\"?"]),
    Slip(line: "$recorder start -d 10 a.wav", code: 12, told: ["write --duration 10"]),
    Slip(line: "$recorder rename @1 sub/x", told: ["a name without a slash", "write \"sub-x\""]),
    Slip(line: "start a.wav --bits 12", told: ["use 16, 24, 32 or float"]),
    Slip(line: "start a.wav --duration abc", told: ["use a duration such as"]),
    Slip(line: "start a.wav --duration 0", told: ["--duration must be more than 0"]),
  ]

  @Test("in a number or its unit gets the right form as advice", arguments: valuesSlips)
  func values(_ slip: Slip) throws {
    let studio = try Studio()
    try expect(slip, in: studio)
    #expect(try studio.run("ls | grep -v run").output == "")
  }

  @Test("in the name of a command gets the right command as advice", arguments: wordsSlips)
  func words(_ slip: Slip) throws { try expect(slip, in: try Studio()) }

  static let endingsSlips: [Slip] = [
    Slip(line: "start x.mp3", told: [".opus", ".flac", ".wav"], never: ["--format"]),
    Slip(
      line: "start x.MP3 --format wav", told: ["is not an extension of WAV files", "use \".wav\""]),
    Slip(line: "start x.flac --format wav", told: ["is not an extension of WAV files"]),
    Slip(
      line: "start x.mp3 --format opus",
      told: ["is not an extension of Opus files", "use \".opus\""]),
    Slip(line: "start x.ogg", told: ["use \".opus\"", "Ogg"]),
    Slip(line: "start x.ogg --format flac", told: ["use \".flac\""]),
    Slip(line: "start x.m4a", told: [".opus"]),
    Slip(line: "start x.aiff --format wav", told: ["use \".wav\""]),
    Slip(
      line: "start x.txt",
      told: [
        "use \".wav\", \".flac\", \".opus\", \".caf\", \".aiff\" or \".raw\"", "--format",
      ]),
    Slip(line: "start -o x.mp3 --format raw", told: ["use \".raw\""]),
    Slip(line: "start 'log/%F.mp3' --format wav --split 1h", told: ["use \".wav\""]),
  ]

  @Test("in the extension of a file gets the valid extensions as advice", arguments: endingsSlips)
  func endings(_ slip: Slip) throws {
    let studio = try Studio()
    try expect(slip, in: studio)
    #expect(try studio.run("ls | grep -v run").output == "")
  }

  @Test("is not reported for an extension that fits, or that means no sound format")
  func fittingEndings() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      for line in 'a.ogg --format opus' 'a.2024-backup --format wav' 'a.oga -f opus' a.rf64; do
        start $line > /dev/null && "$recorder" stop > /dev/null && echo saved
      done; "$recorder" info --json a.ogg
      """)
    #expect(outcome.output.hasPrefix("saved\nsaved\nsaved\nsaved\n"), "\(outcome)")
    #expect(outcome.output.contains("Opus"))
  }

  static let contradictionsSlips: [Slip] = [
    Slip(line: "$recorder play tick --loop --times 2 -d test:null", told: ["--loop", "--times"]),
    Slip(line: "$recorder play tick -n 1 -l -d test:null", told: ["remove one of them"]),
    Slip(line: "$recorder permission grant --once --for 1h", told: ["only one of"]),
    Slip(line: "$recorder status --watch --prometheus", told: ["with --watch, --json or the name"]),
    Slip(line: "$recorder status --watch --quiet", told: ["--watch", "--quiet"]),
    Slip(line: "$recorder export a.wav x.mp3 --bits 24", told: ["remove --bits"]),
    Slip(
      line: "$recorder export a.wav b.wav --normalize --loudness -20", told: ["give only one of"]),
    Slip(line: "$recorder sound stop tick --all", told: ["--all"]),
    Slip(line: "start a.wav -o b.wav", told: ["once"]),
    Slip(line: "start a.wav --align clock", told: ["--align needs --split"]),
    Slip(line: "start a.wav --pre-roll 1s", told: ["--pre-roll needs --start-on-sound or --armed"]),
    Slip(line: "start a.wav --threshold -40dB", told: ["--threshold needs --stop-on-silence"]),
    Slip(line: "start - --split 1s | cat; exit 64", told: ["a recording to stdout has no files"]),
  ]

  @Test("that asks for two contrary things is refused", arguments: contradictionsSlips)
  func contradictions(_ slip: Slip) throws { try expect(slip, in: try Studio()) }

  static let emptySlips: [Slip] = [
    Slip(line: "$recorder takes zzz", code: 0, told: ["No take matches \"zzz\"."]),
    Slip(
      line: "$recorder takes my talk", code: 0, told: ["No take matches \"my\" and \"talk\"."]),
    Slip(line: "$recorder takes --since 3", told: ["--since: \"3\" is not valid"]),
    Slip(line: "$recorder takes --since 2026-02-31", told: ["that day does not exist"]),
    Slip(line: "$recorder takes", code: 0, told: ["There are no takes."]),
    Slip(line: "$recorder sound list zzz", code: 0, told: ["\"zzz\""]),
    Slip(
      line: "$recorder permission reset; $recorder permission log --since 0s", code: 0,
      told: ["Nothing has happened since"]),
    Slip(
      line: "$recorder permission reset; $recorder permission log --since yesterday", code: 0,
      told: ["reset"]),
    Slip(
      line: "$recorder stop nobody; find ~ -name 'nobody*'", code: 0,
      told: ["nobody"], never: ["nobody.lock"]),
    Slip(line: "$recorder permission log --since 2026-02-30", told: ["that day does not exist"]),
    Slip(
      line: "true | $recorder play - -d test:null", code: 16, told: ["stdin is empty"],
      never: ["format"]),
    Slip(
      line: "head -c 999 /dev/zero | $recorder play - -d test:null", code: 16,
      told: ["--rate, --channels and --bits"]),
    Slip(
      line: "head -c 999 /dev/zero > r.raw; $recorder play ./r.raw -d test:null", code: 16,
      told: ["--rate, --channels and --bits"]),
    Slip(
      line: "head -c 999 /dev/zero > r.raw; $recorder export r.raw a.wav", code: 16,
      told: ["\"recorder play\" needs --rate"]),
    Slip(
      line: "echo '<!DOCTYPE html>' | $recorder play - -d test:null", code: 16,
      told: ["not a sound"], never: ["--rate"]),
    Slip(line: "$recorder stop", code: 10, told: ["nothing is being recorded"]),
    Slip(line: "$recorder play TICK -d test:null", code: 10, told: ["did you mean \"tick\""]),
    Slip(
      line: "$recorder sound volume tick 0.5 -d test:null", code: 0,
      told: ["Remembered for the next play."], never: ["No sound is active"]),
  ]

  @Test("that leads to an empty result gets a message that explains it", arguments: emptySlips)
  func empty(_ slip: Slip) throws { try expect(slip, in: try Studio()) }

  @Test("A play during a cooldown says when the sound was played, even by an earlier player")
  func cooldown() throws {
    let theatre = try Theatre()
    let again = "play tick --cooldown 1h"
    let second = try theatre.run("play tick; \(again)")
    #expect(second.code == 0 && second.errors.contains("was played 0 s ago"), "\(second)")
    #expect(second.errors.contains("--cooldown") && !second.errors.contains("a moment ago"))
    theatre.endPlayer()
    let later = try theatre.run(again + " --json")
    #expect(later.output.contains("\"ignored\"") && later.output.contains("playedBefore"))
    let other = try theatre.run("play tick --cooldown 0.01 --json")
    #expect(other.output.contains("\"ended\""), "\(other)")
  }

  @Test("A waiting recording says so, and cancel says which files stay")
  func states() throws {
    let studio = try Studio()
    let armed = try studio.run(
      "start --armed a.wav; $recorder mark x; $recorder status; $recorder stop")
    #expect(armed.output.hasPrefix("Waiting to record to "), "\(armed)")
    #expect(armed.output.contains("If its pre-roll includes this moment"))
    #expect(!armed.output.contains("highest silence"))
    let paused = try studio.run(
      "start --armed p.wav > said; $recorder pause > said; $recorder mark x; $recorder stop > said")
    #expect(paused.output == "Marked default; its time is not known yet.\n", "\(paused)")
    let split = try studio.run(
      "start b.wav > /dev/null; captured 0.2; $recorder split > /dev/null; captured +0.2; $recorder cancel; ls"
    )
    #expect(split.output.contains("the file is in the trash") && split.output.contains("\nb.wav\n"))
    let deleted = try studio.run(
      "start d.wav > /dev/null; captured 0.2; $recorder split > /dev/null; captured +0.2; $recorder cancel --delete"
    )
    #expect(deleted.output.contains("The finished file stays: "), "\(deleted)")
    let whole = try studio.run("start c.wav > /dev/null; $recorder cancel --delete")
    #expect(whole.output.contains("nothing was kept"))
  }

  @Test("Commands that read a file during its recording say so, for its part and its name")
  func recordedFile() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --name x a.wav > /dev/null; captured 0.5; "$recorder" info .a.wav.part; echo code $?
      "$recorder" info a.wav; echo code $?; "$recorder" show a.wav; echo code $?
      "$recorder" play -d null ./a.wav; echo code $?; "$recorder" play -d null ./.a.wav.part; echo code $?
      "$recorder" stop > /dev/null; "$recorder" info a.wav
      """)
    let told = outcome.errors.split(separator: "\n")
    #expect(told.first == "recorder: \".a.wav.part\" is being recorded", "\(outcome)")
    #expect(told.dropFirst().first == "recorder: cannot read \"a.wav\": it is being recorded")
    for words in ["show", "play"] {
      let part = studio.scratch.path(".a.wav.part")
      #expect(outcome.errors.contains("\"recorder \(words) \(part)\" "))
    }
    #expect(told.count == 7 && outcome.errors.contains("/.a.wav.part\" shows the audio so far"))
    #expect(outcome.output.contains("code 0\ncode 11\ncode 11\ncode 11\ncode 0\n"), "\(outcome)")
  }

  @Test("stop and mark without a running default recording name the recordings that run")
  func others() throws {
    let outcome = try Studio().run(
      """
      start --duration 0.2 a.wav > /dev/null
      await [ -e a.wav ]; start -n log b.wav > /dev/null
      await '! "$recorder" status --json | grep -q default'
      "$recorder" mark x; echo code $?; "$recorder" stop; echo code $?
      "$recorder" trash b.wav; "$recorder" stop
      """)
    #expect(outcome.output.contains("code 10\nSaved") && outcome.output.contains("a.wav\n"))
    for words in [
      "running: \"log\"",
      "\"default\" had already ended by itself; still recording: \"log\"", "\"recorder stop log\"",
      "\"b.wav\" is still being recorded",
    ] {
      #expect(outcome.errors.contains(words), "\(words) in \(outcome)")
    }
  }

  @Test("A start with a test tone that is too high says what to do")
  func tone() throws {
    let outcome = try Studio().run("$recorder start a.wav -d test:tone:50000")
    #expect(outcome.code == 12 && outcome.errors.contains("lower tone, or a higher --rate"))
  }

  @Test("A take to stdout is listed as stdout")
  func stdout() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      "start - --duration 0.3 > raw 2> /dev/null; [ -s raw ] && $recorder takes")
    #expect(outcome.output.hasSuffix("  stdout\n"), "\(outcome)")
    #expect(try studio.run("$recorder takes --json").output.contains("\"takes\":[{"))
  }
}
