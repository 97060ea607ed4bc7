import Foundation
import Support
import Testing

@Suite("Hostile names of sounds", .timeLimit(.minutes(10)))
struct SoundNameTests {
  /// A name, as a shell expands it, and the exit codes of play, info, remove and `add --name`.
  struct Hostile: CustomTestStringConvertible {
    let name: String
    let codes: [Int32]
    var testDescription: String { String(name.prefix(40)) }
  }

  /// `play` takes a name with a slash as a file. `--` keeps a name with a dash from being an
  /// option.
  static let hostile = [
    Hostile(name: "../x", codes: [10, 64, 64, 64]),
    Hostile(name: "/etc/passwd", codes: [16, 64, 64, 64]),
    Hostile(name: "a/../../b", codes: [10, 64, 64, 64]),
    Hostile(name: "..", codes: [64, 64, 64, 64]),
    Hostile(name: ".hidden", codes: [64, 64, 64, 64]),
    Hostile(name: "a..b", codes: [64, 64, 64, 64]),
    Hostile(name: "$(printf '%4096s' | tr ' ' a)", codes: [64, 64, 64, 64]),
    Hostile(name: "$(printf '%201s' | tr ' ' a)", codes: [64, 64, 64, 64]),
    Hostile(name: "-rf", codes: [64, 64, 64, 64]),
    Hostile(name: "$(printf '\\033]0;x\\007')", codes: [64, 64, 64, 64]),
    Hostile(name: "$(printf '\\302\\233 2J')", codes: [64, 64, 64, 64]),
    Hostile(name: "$(printf 'a\\nb')", codes: [64, 64, 64, 64]),
    Hostile(name: "$(printf 'a\\377b')", codes: [64, 64, 64, 64]),
    Hostile(name: "$(printf '\\300\\256\\300\\256')", codes: [64, 64, 64, 64]),
    Hostile(name: "", codes: [64, 64, 64, 64]),
  ]

  @Test("They are refused, change no file and print no control characters", arguments: hostile)
  func refused(hostile: Hostile) throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    let outcome = try theatre.run(
      """
      mkdir -p .local/state
      find . -path ./.local/state -prune -o -path ./run -prune -o -print | sort > run/tree
      name="\(hostile.name)"
      play -- "$name"; echo $?; sound info -- "$name"; echo $?; sound remove -- "$name"; echo $?
      sound add a.wav "--name=$name"; echo $?
      find . -path ./.local/state -prune -o -path ./run -prune -o -print | sort |
        diff run/tree -
      """)
    #expect(outcome.output == hostile.codes.map { "\($0)\n" }.joined(), "\(outcome)")
    let raw = outcome.errors.unicodeScalars.filter {
      $0 != "\n" && $0.properties.generalCategory == .control
    }
    #expect(raw.isEmpty && outcome.errors.utf8.count < 8_000)
  }

  @Test(
    "Names that only look strange are names of files in the directory, and nowhere else",
    arguments: ["con", "%2e", "%2e%2e%2fx", "nul", "~", "$HOME", "a b", "*", "été", "x.y", "a\\b"])
  func strange(name: String) throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    let outcome = try theatre.run(
      """
      name='\(name)'
      sound add a.wav --name "$name" > /dev/null && sound info "$name" > /dev/null &&
        play "$name" && ls .local/share/recorder/sounds && sound remove "$name" > /dev/null &&
        ls -A .local/share/recorder/sounds
      """)
    #expect(outcome == Outcome(code: 0, output: "\(name).wav\n", errors: ""))
  }

  @Test("Pipes, devices and links out of the directory are neither opened nor waited for")
  func beneath() throws {
    let theatre = try Theatre()
    try theatre.ramp("outside.wav", frames: 480)
    try theatre.run(
      """
      own=.local/share/recorder/sounds; mkdir -p $own/folder.wav $own/deep
      ln -s "$HOME/outside.wav" $own/absolute.wav; ln -s ../../../../outside.wav $own/relative.wav
      ln -s /dev/zero $own/device.wav; mkfifo $own/pipe.wav; ln -s loop.wav $own/loop.wav
      ln -s "$HOME" $own/home; ln -s nowhere $own/dangling.wav
      cp outside.wav $own/deep/inside.wav; ln -s deep/inside.wav $own/inside.wav
      cp outside.wav "$own/$(printf 'a\\377b').wav"
      """)
    for name in ["absolute", "relative", "device", "pipe", "folder", "loop"] {
      for command in ["play \(name)", "sound info \(name)", "sound prepare \(name)"] {
        let outcome = try theatre.run(command, limit: .seconds(10))
        #expect(outcome.code == 16 && outcome.errors.contains("\(name).wav"), "\(outcome)")
      }
    }
    #expect(try theatre.run("sound info dangling").code == 10)
    #expect(try theatre.run("play inside && sound info inside").code == 0)
    let list = try theatre.run("sound list").output
    // A meaning that is too wide for its line is on the next line.
    let words = list.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for name in ["absolute", "relative", "device", "pipe", "folder", "loop"] {
      #expect(words.contains(" \(name) cannot be played: "), "\(list)")
    }
    #expect(list.contains("it links to another directory"))
    #expect(list.unicodeScalars.contains("\u{FFFD}"))
  }

  @Test("remove removes a link but not its target, and add does not use the name of a link")
  func links() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    let outcome = try theatre.run(
      """
      own=.local/share/recorder/sounds; mkdir -p $own; ln -s "$HOME/b.wav" $own/b.wav
      sound add a.wav --name b; echo $?; ls b.wav; cp a.wav b.wav
      sound remove b > /dev/null; echo $?; ls b.wav; ls -A $own
      """)
    #expect(outcome.output == "13\n0\nb.wav\n", "\(outcome)")
  }

  @Test("The player itself refuses them as well")
  func player() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      #"""
      sound prepare click --device test:null > /dev/null
      python3 - <<'END'
      import glob, json, os, socket
      names = ["../x", "a\0b", "..", "", "a" * 4096, "-rf", "\u001b[2J", "\u202e", "x/y"]
      connection = socket.socket(socket.AF_UNIX)
      connection.connect(glob.glob(os.environ["XDG_RUNTIME_DIR"] + "/recorder/*/_player.sock")[0])
      lines = connection.makefile("rw", newline="\n")
      lines.readline()
      for number, name in enumerate(names):
          order = {"id": number, "do": "play", "sounds": [{"name": name}], "device": "test:null",
                   "ifPlaying": "restart", "times": 1, "loop": False, "wait": True,
                   "environment": {"XDG_DATA_HOME": os.environ["HOME"], "HOME": os.environ["HOME"]}}
          lines.write(json.dumps(order) + "\n")
          lines.flush()
          answer = json.loads(lines.readline())
          print(answer["ok"], answer.get("exit"))
          if answer.get("id") != number:
              break
      END
      play click; echo $?
      """#)
    let refused = outcome.output.split(separator: "\n")
    #expect(refused.last == "0" && refused.count >= 3, "\(outcome)")
    #expect(refused.dropLast().allSatisfy { $0.hasPrefix("False ") }, "\(outcome)")
  }

  @Test("A seek past the end of a sound is noted")
  func seekPastEnd() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480_000)
    let outcome = try theatre.run(
      """
      play ./a.wav --detach > said; sound stop a.wav > said
      sound seek a.wav 5s > said; sound seek a.wav 50s > said
      """)
    let path = theatre.scratch.path("a.wav")
    let note = "0:50.000 is past the end of \"\(path)\", which lasts 0:10.000"
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.errors.components(separatedBy: note).count == 2, "\(outcome)")
    #expect(outcome.errors.components(separatedBy: "past the end").count == 2, "\(outcome)")
  }
}
