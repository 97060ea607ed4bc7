import Foundation
import Support
import Testing

@Suite("The library of sounds, from the command line", .timeLimit(.minutes(10)))
struct SoundLibraryTests {
  private func sounds(_ theatre: Theatre, _ search: String = "") throws -> [[String: Any]] {
    let outcome = try theatre.run("sound list --json \(search)")
    return try #require(try parsed(outcome.output)["sounds"] as? [[String: Any]])
  }

  @Test("A file can be added as a sound, played by its name, and removed")
  func life() throws {
    let theatre = try Theatre()
    try theatre.ramp("My Bark.WAV", frames: 4_800)
    let place = theatre.scratch.path(".local/share/recorder/sounds/bark.wav")
    let added = try theatre.run("sound add 'My Bark.WAV' --name bark --json")
    #expect(added.code == 0 && added.errors == "", "\(added)")
    let sound = try #require(try parsed(added.output)["sound"] as? [String: Any])
    #expect(sound["name"] as? String == "bark" && sound["path"] as? String == place)
    #expect(sound["duration"] as? Double == 0.1 && sound["source"] as? String == "user")
    let listed = try #require(try sounds(theatre, "bark").first)
    #expect(listed["path"] as? String == place && listed["duration"] as? Double == 0.1)
    #expect(listed["source"] as? String == "user")
    let info = try theatre.run("sound info bark")
    #expect(info.output.hasPrefix("bark\n  Source     your own\n  File       \(place)\n"))
    #expect(info.output.contains("  Length     0:00.100 (4800 frames)\n"))
    #expect(try theatre.run("play bark --json").output.contains("ended"))
    let removed = try theatre.run("sound remove bark")
    #expect(removed == Outcome(code: 0, output: "Moved \(place) to the trash\n", errors: ""))
    #expect(try theatre.run("sound info bark").code == 10)
    #expect(try theatre.run("ls -A .local/share/recorder/sounds").output == "")
    #expect(try theatre.run("\"$recorder\" undo > said; play bark").code == 0)
  }

  @Test("Every sound in the list has a name, a length, an existing file and a source")
  func list() throws {
    let theatre = try Theatre()
    let all = try sounds(theatre)
    #expect(all.count >= 27)
    for sound in all {
      #expect(sound["name"] is String && sound["duration"] is Double, "\(sound)")
      let path = try #require(sound["path"] as? String)
      #expect(FileManager.default.fileExists(atPath: path))
      #expect(["user", "bundled", "theme"].contains(sound["source"] as? String))
    }
    #expect(try sounds(theatre, "dialog-err").map { $0["name"] as? String } == ["error"])
    let nothing = try theatre.run("sound list xyzzy")
    #expect(nothing.output == "No sound has \"xyzzy\" in a name or its meaning.\n")
  }

  @Test("The length of a changed sound is listed, even if the stored lengths are damaged")
  func lengths() throws {
    let theatre = try Theatre()
    func length() throws -> Double? { try sounds(theatre, "bark").first?["duration"] as? Double }
    try theatre.ramp("bark.wav", frames: 4_800)
    #expect(try theatre.run("sound add bark.wav").code == 0)
    #expect(try length() == 0.1)
    try theatre.ramp("bark.wav", frames: 9_600)
    #expect(try theatre.run("cp bark.wav .local/share/recorder/sounds/bark.wav").code == 0)
    #expect(try length() == 0.2, "another file under the name is read")
    for damage in ["echo '{' > $file", "rm $file; mkdir $file", "rmdir $file"] {
      let cache = "\"${XDG_CACHE_HOME:-.cache}/recorder\""
      let damaged = try theatre.run("for file in \(cache)/*; do \(damage) || exit; done")
      #expect(damaged.code == 0, "\(damaged)")
      #expect(try length() == 0.2, "\(damage)")
    }
  }

  @Test("A sound of the user hides the bundled one until it is removed")
  func hides() throws {
    let theatre = try Theatre()
    try theatre.ramp("bell.wav", frames: 480)
    let added = try theatre.run("sound add bell.wav")
    #expect(added.code == 0 && added.errors == "", "\(added)")
    let path = theatre.scratch.path(".local/share/recorder/sounds/bell.wav")
    #expect(
      added.output == """
        \(path)
        "bell" plays this file, 0:00.010 long.
        It is played instead of the sound that comes with recorder.

        """)
    #expect(try sounds(theatre, "bell").first?["source"] as? String == "user")
    let removed = try theatre.run("sound remove bell")
    #expect(removed.output.contains("\"bell\" is now the sound that comes with recorder.\n"))
    #expect(try sounds(theatre, "bell").first?["source"] as? String == "bundled")
  }

  @Test(
    "What cannot be done says why, with its exit code",
    arguments: [
      ("add text.wav", 16, "it is a text file, not a sound"),
      ("add missing.wav", 10, "missing.wav"),
      ("add torn.wav", 16, "torn.wav"), ("add /etc", 16, "it is a directory"),
      ("add pipe.wav", 16, "not a regular file"), ("add ./a.wav --name ../a", 64, "slash"),
      ("add ./.wav", 64, "--name"), ("add a.wav --name old", 13, "sound remove old"),
      ("add a.wav --name hushed", 13, "hushed.disabled"),
      ("remove bell", 10, "comes with recorder"),
      ("remove dialog-error", 10, "error.wav"), ("remove odl", 10, "did you mean \"old\"?"),
      ("remove old-er", 10, "no sound of your own"), ("info dnoe", 10, "did you mean \"done\"?"),
      ("info umbrela", 10, "\"umbrella\""), ("info xyzzyx", 10, "sound list"),
      ("info ./a.wav", 64, "recorder info"), ("info broken", 16, "broken.wav"), ("add", 64, "FILE"),
    ])
  func refusals(line: String, code: Int32, words: String) throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    try theatre.run(
      """
      own=.local/share/recorder/sounds; mkdir -p $own; echo text > text.wav; mkfifo pipe.wav
      head -c 45 "$(sound info done --json | sed 's/.*"path":"\\([^"]*\\)".*/\\1/')" > torn.wav
      cp a.wav $own/old.wav; touch $own/hushed.disabled; echo text > $own/broken.wav; ls $own > before
      """)
    let outcome = try theatre.run("sound \(line)")
    #expect(outcome.code == code && outcome.errors.contains(words), "\(outcome)")
    #expect(outcome.output == "")
    #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("recorder: ") })
    let told = try parsed(try theatre.run("sound \(line) --json").output)["error"] as? [String: Any]
    #expect(told?["exit"] as? Int32 == code)
    #expect(try theatre.run("ls -A .local/share/recorder/sounds | diff before -").code == 0)
  }

  @Test("A sound stays if the trash cannot be used, and one undo restores all files of a name")
  func trash() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    let outcome = try theatre.run(
      """
      own=.local/share/recorder/sounds; mkdir -p $own; cp a.wav $own/b.wav; touch $own/b.disabled
      touch .local/share/Trash; sound remove b; echo $?; ls $own; rm .local/share/Trash
      sound remove b > /dev/null; echo $?; ls $own; "$recorder" undo > /dev/null; ls $own
      """)
    #expect(outcome.output == "13\nb.disabled\nb.wav\n0\nb.disabled\nb.wav\n", "\(outcome)")
    #expect(outcome.errors.contains("the trash of its disk cannot be used"), "\(outcome)")
  }

  @Test("A file with a wrong extension, or none, is added with that of its content")
  func endings() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    let outcome = try theatre.run(
      """
      for name in plain odd.snd quiet.disabled; do
        cp a.wav $name; sound add $name > /dev/null || exit; play ${name%.*} || exit
      done; ls .local/share/recorder/sounds
      """)
    #expect(outcome.output == "odd.wav\nplain.wav\nquiet.wav\n", "\(outcome)")
  }

  @Test("An add on a full disk exits with 13 and leaves no file")
  func full() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480_000)
    let outcome = try theatre.run(
      "ulimit -f 64; sound add a.wav; code=$?; ls -A .local/share/recorder/sounds; exit $code")
    #expect(outcome.code == 13 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("cannot add \"a\": ") && outcome.errors.contains("too large"))
  }

  @Test("The copy that a killed add leaves is not a sound, and the next add removes it")
  func killed() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 4_800)
    let preload = try theatre.studio.holding("sync")
    let outcome = try theatre.run(
      """
      \(preload) "$recorder" sound add a.wav & first=$!
      own=.local/share/recorder/sounds
      await 'ls $own/.copy.* > left 2> /dev/null'
      kill -KILL $first; wait $first; sound list own; sound list a --json | grep -c '"name":"a"'
      sound add a.wav > /dev/null; ls -A $own
      """)
    #expect(outcome.output.hasSuffix("0\na.wav\n"), "\(outcome)")
  }

  @Test("Names in every script are aligned within 80 columns, and the longest is complete")
  func columns() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    let long = String(repeating: "very-long-", count: 19) + "name"
    for name in ["東京の鐘", "cloche-d'été", "колокол", "🔔", long] {
      #expect(try theatre.run("sound add a.wav --name \"\(name)\"").code == 0)
    }
    let output = try theatre.run("sound list").output
    #expect(output.contains("\n  \(long)\n"))
    let lines = output.split(separator: "\n").filter { !$0.contains(long) }
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(output)")
    func spaces(after name: String) throws -> Int {
      let line = try #require(lines.first { $0.hasPrefix("  \(name) ") })
      return line.dropFirst(2 + name.count).prefix { $0 == " " }.count
    }
    // The Japanese name takes eight columns and the emoji two. The Cyrillic name takes seven.
    let usual = try spaces(after: "колокол")
    #expect(try spaces(after: "東京の鐘") == usual - 1)
    #expect(try spaces(after: "🔔") == usual + 5)
    try theatre.run("play 東京の鐘; play \(long) -l --detach")
    let status = try theatre.run("sound status").output
    let others = status.split(separator: "\n").filter { $0 != long }
    #expect(others.allSatisfy { $0.count <= 80 }, "\(status)")
    #expect(status.contains("\(long)\n          playing"), "\(status)")
  }

  @Test(
    "Hundreds of sounds are listed, and an unreadable one hides no other")
  func many() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    try theatre.run(
      """
      own=.local/share/recorder/sounds; mkdir -p $own
      n=0; while [ $n -lt 300 ]; do n=$((n + 1)); ln a.wav $own/many-$n.wav; done
      for n in 7 64 65 200 300; do
        rm $own/many-$n.wav; { printf 'RIFF\\377\\377\\377\\177WAVE'; head -c 4000 /dev/urandom; } > $own/many-$n.wav
      done; rm $own/many-8.wav; : > $own/many-8.wav
      """)
    let outcome = try theatre.run("ulimit -n 100; sound list many- --json")
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome.errors)")
    let all = try parsed(outcome.output)["sounds"] as? [[String: Any]] ?? []
    #expect(all.count == 300)
    let broken = all.filter { $0["problem"] is String }.compactMap { $0["name"] as? String }
    #expect(Set(broken) == Set([7, 8, 64, 65, 200, 300].map { "many-\($0)" }))
    #expect(all.filter { $0["duration"] as? Double == 0.01 }.count == 294)
  }

  @Test(
    "Its files are opened, and read in a child that can only compute",
    .requires(tool: "strace"), arguments: ["info b", "list b"])
  func readInChild(command: String) throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 480)
    let outcome = try theatre.run(
      """
      sound add a.wav --name b > /dev/null
      strace -qq -y -o trace "$recorder" sound \(command) --json
      """)
    let calls = try theatre.run("grep /b.wav trace | cut -d '(' -f 1 | sort -u").output
      .split(separator: "\n")
    #expect(outcome.code == 0 && outcome.output.contains("\"duration\":0.01"), "\(outcome)")
    #expect(calls.contains("openat2"), "\(calls)")
    #expect(Set(calls).isDisjoint(with: ["read", "readv", "pread64", "preadv", "mmap"]))
  }
}
