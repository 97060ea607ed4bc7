import Foundation
import Support
import Testing

@Suite("A file name that is taken", .timeLimit(.minutes(10)))
struct TakenNameTests {
  let studio: Studio

  init() throws {
    studio = try Studio()
    try studio.scratch.write("old\n", to: "victim")
  }

  /// A script that prints the names in the home, each with its kind and the target of a link.
  private static let list = "find . -maxdepth 1 -name '*a.wav*' -printf '%f %y %l\\n' | sort"

  @Test(
    "is refused with the reason, even with --force, and the existing entry is unchanged",
    arguments: [
      ("ln -s victim", "it is a symbolic link"), ("ln -s nowhere", "it is a symbolic link"),
      ("ln -s /dev/null", "it is a symbolic link"), ("mkfifo", "it is not a file"),
      ("mkdir", "it is a directory"),
    ])
  func refused(made: String, why: String) throws {
    let outcome = try studio.run(
      """
      \(made) a.wav; before=$(\(Self.list))
      start a.wav; echo "$?"; start --force a.wav; echo "$?"
      [ "$before" = "$(\(Self.list))" ] && cat victim
      """)
    #expect(outcome.output == "13\n13\nold\n", "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count { $0.contains(why) } == 2, "\(outcome)")
    #expect(!outcome.errors.contains("--force to replace"))
  }

  @Test(
    "is refused by the session itself, not only by start",
    arguments: [("ln -s victim", "link"), ("mkdir", "directory"), ("cp victim", "exists")])
  func engine(made: String, why: String) throws {
    let replaces = made != "cp victim"
    let outcome = try studio.run(
      """
      \(made) a.wav; before=$(\(Self.list))
      printf '%s\\n' '{"identifier":"x","name":"x","capture":{"device":"test:ramp"},\(
        "")"output":{"path":"'"$HOME"'/a.wav","format":"wav","replaces":\(replaces)},\(
        "")"limits":{"duration":0.2,"free":0}}' > plan
      "$recorder" session --foreground 3< plan; echo "$?"
      [ "$before" = "$(\(Self.list))" ] && cat victim
      """)
    #expect(outcome.output == "13\nold\n" && outcome.errors.contains(why), "\(outcome)")
  }

  @Test(
    "Where links have the names that a take has on its way, it takes others and follows none",
    arguments: ["ln -s victim", "ln -s nowhere", "mkfifo", "mkdir"])
  func hidden(made: String) throws {
    let outcome = try studio.run(
      """
      for name in .a.wav.part .a.wav-2.part.jsonl a.wav.json; do \(made) $name; done
      start --sidecar always a.wav > /dev/null && "$recorder" mark here > /dev/null
      "$recorder" stop > told; echo "$?"; cat victim
      find . -maxdepth 1 -name 'a*' -type f | sort; [ -e nowhere ] || echo none
      """)
    #expect(outcome.output == "13\nold\n./a-002.wav\n./a-002.wav.json\nnone\n", "\(outcome)")
    let told = String(decoding: try studio.scratch.read("told"), as: UTF8.self).oneLine
    #expect(told.contains("a.wav.json\", so this file was saved under another name"), "\(told)")
    #expect(try !studio.decoded("a-002.wav").isEmpty)
  }

  @Test("that was free at the start is left to its file, and the take is saved next to it")
  func meanwhile() throws {
    let outcome = try studio.run(
      """
      start a.wav > said; captured 0.2; cp victim a.wav; "$recorder" stop; echo $?; cat a.wav
      ls a-*; "$recorder" help exit-codes | grep -A 1 '^ *13 '
      """)
    #expect(outcome.output.contains("\n13\nold\na-002.wav\n"), "\(outcome)")
    for words in ["so this file was saved under another name", "or was saved under another name"] {
      let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains(words), "\(outcome)")
    }
  }

  @Test(
    "of a needed sidecar leads to another name for the take, so its marks are kept",
    arguments: ["flac", "opus", "wav"])
  func sidecar(format: String) throws {
    let outcome = try studio.run(
      """
      cp victim a.\(format).json; start a.\(format) > said; captured 0.2; "$recorder" mark here > said
      "$recorder" stop > said; echo $?; cat a.\(format).json; ls -A | grep '^[.]*a'
      "$recorder" info --json a*.\(format) | grep -c '"label":"here"'
      """)
    // The marks of a WAV file need no sidecar.
    let lines =
      format == "wav"
      ? ["0", "old", "a.wav", "a.wav.json", "1"]
      : ["13", "old", "a-002.\(format)", "a-002.\(format).json", "a.\(format).json", "1"]
    #expect(outcome.output.split(separator: "\n").map(String.init) == lines, "\(outcome)")
  }

  @Test("Links that appear and vanish at the names of a take redirect none of its writes")
  func race() throws {
    let takes = isThorough ? 80 : 8
    let outcome = try studio.run(
      """
      mkdir d; echo old > d/victim; : > going
      ( cd d; while [ -e ../going ]; do
          for name in a.wav .a.wav.part a.wav.json; do ln -s victim $name; done
          for name in a.wav .a.wav.part a.wav.json; do [ -h $name ] && rm -f $name; done
        done ) 2> /dev/null & racer=$!
      n=0; saved=0; while [ $n -lt \(takes * 20) ] && [ $saved -lt \(takes) ]; do n=$((n + 1))
        start --foreground --quiet --duration 50ms --sidecar always d/a.wav > told 2>> said
        echo "code $?"
        for file in d/a*.wav; do
          [ -f $file ] && [ ! -h $file ] || continue
          saved=$((saved + 1)); mv $file d/saved-$saved.wav
        done
      done
      rm going; wait $racer; cat d/victim
      """, limit: .seconds(240))
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let codes = Set(lines.dropLast()).subtracting(["code 0", "code 13", "code 14"])
    #expect(outcome.code == 0 && lines.last == "old" && codes.isEmpty, "\(outcome)")
    // A link at the start causes a refusal. A link at the end keeps its name.
    let saved = try studio.run("find d -name '*.wav' -type f").output.split(separator: "\n")
    for (path, numbers) in zip(saved, try studio.decoded(saved.map(String.init))) {
      #expect(numbers.count == 2_400, "\(path)")
    }
    // The scheduler decides how many starts find no link.
    #expect(!saved.isEmpty)
  }
}
