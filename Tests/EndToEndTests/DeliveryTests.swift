import Commands
import Foundation
import Support
import Testing

@Suite("A command whose output, input or resources fail", .timeLimit(.minutes(10)))
struct DeliveryTests {
  /// Words that make a command print something. `@` stands for a name that differs in each run.
  struct Way {
    var before = ""
    var words = ""
  }

  private static let live = "start -q --name @ @.wav"
  private static let named = Way(before: live, words: "@")
  private static let sound = Way(before: "play t.wav", words: "./t.wav")

  /// Commands that are not listed here run without arguments.
  private static let ways: [String: Way] = [
    "start": Way(words: "-d test:ramp --name @ @.wav"),
    "stop": named, "cancel": named, "pause": named, "resume": named, "toggle": named,
    "split": named, "mark": Way(before: live, words: "--name @ here"),
    "wait": Way(before: live + " --duration 300ms", words: "@"),
    "trigger": Way(before: live + " --armed --stop-on-silence 1s", words: "@"),
    "tap": Way(before: live + " --duration 2s", words: "@"),
    "status": Way(before: live), "takes": Way(before: live + "; \"$recorder\" stop @"),
    "meter": Way(words: "-d test:tone --duration 300ms"),
    "recover": Way(
      before:
        "pid=$(start --json --name @ @.wav | number pid); kill -KILL $pid; ended $pid",
      words: "."),
    "config get": Way(words: "format"), "config set": Way(words: "format flac"),
    "config unset": Way(before: "\"$recorder\" config set format flac", words: "format"),
    "config edit": Way(before: "export EDITOR=true"),
    "info": Way(words: "t.wav"), "completion": Way(words: "bash"), "help": Way(words: "start"),
    "play": Way(words: "-d test:null t.wav"),
    "sound prepare": Way(words: "./t.wav -d test:null"),
    "sound add": Way(words: "t.wav --name @"),
    "sound remove": Way(before: "\"$recorder\" sound add t.wav --name @", words: "@"),
    "sound info": Way(before: "\"$recorder\" sound add t.wav --name @", words: "@"),
    "sound seek": Way(before: "play t.wav", words: "./t.wav 10ms"),
    "sound volume": Way(before: "play t.wav", words: "./t.wav 50%"),
    "sound stop": sound, "sound pause": sound, "sound resume": sound, "sound rewind": sound,
    "sound replay": sound, "sound mute": sound, "sound unmute": sound, "sound status": sound,
    "guard on": Way(words: "--dry-run"),
    "guard run": Way(before: "await \"$recorder\" guard off &"),
    "permission request": Way(before: "\"$recorder\" permission reset"),
    "permission revoke": Way(before: "\"$recorder\" permission grant"),
  ]

  /// The text before and after a command line, for each condition.
  private static let conditions: [(name: String, before: String, after: String)] = [
    ("nothing", "", "> out"), ("full stdout", "", "> /dev/full"), ("closed stdout", "", ">&-"),
    ("closed stdin", "", "> out <&-"), ("no stdin", "", "> out < /dev/null"),
    ("small files", "ulimit -f 128; ", "> out"), ("few descriptors", "ulimit -n 16; ", "> out"),
  ]

  @Test(
    "It soon says so and ends with a code other than 0, and no take is lost",
    arguments: CommandTable.standard.commands.map(\.name))
  func everyCommand(name: String) throws {
    let studio = try Studio()
    defer { for process in studio.processes() { kill(pid_t(process), SIGTERM) } }
    try studio.run("sox -n -r 48000 -c 1 -b 16 t.wav synth 0.2 sine 440")
    let way = Self.ways[name] ?? Way()
    var usual = (code: 0, hasResult: false)
    // A short run tests a full stdout and one of the other conditions, chosen at random.
    let chosen =
      isThorough
      ? Self.conditions
      : Self.conditions[..<2] + [Self.conditions[2...].randomElement()].compactMap(\.self)
    for (index, condition) in chosen.enumerated() {
      let outcome = try studio.run(
        """
        play() { "$recorder" play -q -d test:null "$@"; }; "$recorder" permission grant > grant
        { :
          \(way.before.replacing("@", with: "n\(index)"))
        } > before 2>&1
        ls *.wav .*.part > had 2> /dev/null
        timeout -k 1 10 sh -c '\(condition.before)exec "$recorder" \(name) \(way.words.replacing("@", with: "n\(index)")) \
          \(condition.after) 2> errors'
        echo $?; touch out; wc -c < out; cat errors; rm out
        """, limit: .seconds(60))
      let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
      let code = try #require(lines.first.flatMap { Int($0) }, "\(outcome)")
      let (said, about) = (lines.dropFirst(2).joined(separator: "\n"), "\(name), \(condition.name)")
      #expect(code < 124 || code == ExitCode.interrupted.rawValue, "\(about): \(outcome)")
      if condition.name == "nothing" {
        usual = (code, lines.dropFirst().first.flatMap { Int($0.filter(\.isNumber)) } ?? 0 > 0)
      } else if condition.name.hasSuffix("stdout"), usual.hasResult {
        // A recording that has begun continues. After a failure the caller would start it again.
        #expect((code != 0 || name == "start") && said.contains("stdout"), "\(about): \(outcome)")
      }
      // A command that always ends with this code prints the reason on stdout, as `doctor` does.
      if code != usual.code, code != 0 { #expect(!said.isEmpty, "\(about): \(outcome)") }
      try expectKept(studio, "n\(index)", about)
    }
  }

  /// Expects that a take that had begun is still recorded, saved or in its part, and is readable
  /// after its end.
  private func expectKept(_ studio: Studio, _ take: String, _ about: String) throws {
    let outcome = try studio.run(
      """
      "$recorder" stop --all > stopped 2>&1
      ls \(take)*.wav .\(take)*.part 2> /dev/null
      for file in \(take)*.wav; do [ -e $file ] && { sox $file -n 2>&1 || echo "unreadable $file"; }; done
      """)
    if about.hasPrefix("cancel") { return }
    #expect(!outcome.output.contains("unreadable"), "\(about): \(outcome)")
    if try studio.run("grep -q \(take) had").code == 0 {
      #expect(outcome.output.contains(take), "\(about): \(outcome)")
    }
  }

  @Test(
    "A failed write to stdout is reported, and a file at its size limit is kept",
    arguments: [
      ("start - -d test:ramp > /dev/full", 13, ""), ("start - -d test:ramp >&-", 13, ""),
      ("start - -d test:ramp > a.raw", 14, "raw"),
      ("start -q -d test:ramp a.wav > out && \"$recorder\" wait", 14, "wav"),
      ("start -q -d test:ramp a.flac > out && \"$recorder\" wait", 14, "flac"),
      ("start -q -d test:ramp a.opus > out && \"$recorder\" wait", 14, "opus"),
      ("start -q -d test:ramp a.raw > out && \"$recorder\" wait", 14, "raw"),
    ])
  func sound(line: String, code: Int32, format: String) throws {
    let studio = try Studio()
    let outcome = try studio.run("ulimit -f 128; timeout -k 1 20 \"$recorder\" \(line)")
    #expect(outcome.code == code && !(outcome.errors + outcome.output).isEmpty, "\(outcome)")
    guard !format.isEmpty else { return }
    let numbers = try studio.decoded("a.\(format)")
    #expect(numbers.count > 10_000)
    if format != "opus" { #expect(firstBreak(in: numbers) == nil) }
  }
}
