import Foundation
import Linux
import Support
import Testing

@Suite("Takes that are renamed or moved to the trash", .timeLimit(.minutes(30)))
struct TrashTests {
  @Test("are restored by undo, with their sidecars and step by step, and changed again by redo")
  func steps() throws {
    let archive = try Archive(["a.wav", "b.wav", "c.wav"])
    let all = try archive.files()
    try archive.run("rename", "@1", "song")
    try archive.run("trash", "@3", "@1")
    #expect(archive.names("").sorted() == ["b.wav"])
    #expect(try archive.files() == all)
    #expect(try archive.takes().map { $0["exists"] as? Bool } == [false, true, false])
    #expect(try archive.run("undo").output.split(separator: "\n").count == 3)
    #expect(
      archive.names("").sorted() == ["a.wav", "a.wav.json", "b.wav", "song.wav", "song.wav.json"])
    #expect(archive.names(archive.trash + "/info") == [])
    #expect(try archive.run("undo").output.contains("to c.wav"))
    #expect(archive.names("").sorted() == ["a.wav", "a.wav.json", "b.wav", "c.wav", "c.wav.json"])
    let nothing = try archive.run("undo")
    #expect(nothing.code == 10 && nothing.errors.contains("nothing to undo"), "\(nothing)")
    try archive.run("redo")
    try archive.run("redo")
    #expect(archive.names("").sorted() == ["b.wav"])
    #expect(try archive.run("redo").code == 10)
    #expect(try archive.files() == all)
  }

  @Test("can be given by number, name and path in one command, and are moved once each")
  func many() throws {
    let archive = try Archive((0..<12).map { "\($0).wav" }, sidecars: false)
    let all = try archive.files()
    try archive.run(["trash", "0.wav", "./0.wav", "@12", "@last"] + (1...8).map { "@\($0)" })
    #expect(archive.names("").sorted() == ["1.wav", "2.wav", "3.wav"])
    // A number without a take is reported as it is for a single reference.
    let refused = try archive.run(["trash"] + (1...12).map { "@\($0)" })
    #expect(refused.code == 10 && refused.errors.contains("the oldest is @3"), "\(refused)")
    #expect(try archive.run("undo", "--older").code == 0)
    #expect(try archive.files() == all && archive.names("").count == 12)
  }

  @Test("are listed by undo up to a number, and always if they get another name")
  func listed() throws {
    let archive = try Archive((0..<8).map { "\($0).wav" }, sidecars: false)
    let trashed = try archive.run(["trash"] + (0..<8).map { "\($0).wav" })
    #expect(trashed.output.split(separator: "\n").count == 8, "\(trashed)")
    try archive.studio.run("echo mine > 0.wav")
    let undone = try archive.run("undo")
    let lines = undone.output.split(separator: "\n").map { line in
      String(line.split(separator: "/").last ?? "")
    }
    #expect(
      lines.dropLast() == [
        "7.wav", "6.wav", "5.wav", "4.wav", "3.wav",
        "0-restored.wav, because its old name is taken", "and 2 more files",
      ], "\(undone)")
    #expect(lines.last?.hasPrefix("They were moved to the trash") == true, "\(undone)")
  }

  @Test(
    "are refused with the reason, and nothing is changed",
    arguments: [
      (["rename", "@1", "a"], 13, "a file has that name"),
      (["rename", "@1", "a.wav"], 13, "a file has that name"),
      // `free.wav.json` belongs to another file, and would seem to be the sidecar of the renamed
      // one.
      (["rename", "@1", "free"], 13, "free.wav.json"),
      (["rename", "@1", "x/y"], 64, "write \"x-y\""),
      (["rename", "@1", ".part"], 64, "write \"part\""),
      (["trash", "@3"], 10, "the oldest is @2"),
      (["trash", "other.wav"], 10, "not in the list of takes"),
      (["rename", "b.wav", "x"], 10, "nothing was changed; \"recorder takes\""),
      (["trash", "@take1"], 10, "no longer exists"),
      (["undo"], 10, "nothing to undo"), (["redo"], 10, "nothing to redo"),
    ])
  func refused(arguments: [String], code: Int32, told: String) throws {
    let archive = try Archive(["a.wav", "b.wav", "c.wav"])
    try archive.studio.run("rm b.wav; echo mine > free.wav.json; echo mine > other.wav")
    let before = archive.names("").sorted()
    let outcome = try Tool.run(
      try Products.recorder, arguments, environment: archive.studio.environment,
      directory: archive.studio.scratch.path)
    #expect(outcome.code == code && outcome.errorText.contains(told), "\(outcome.errorText)")
    #expect(archive.names("").sorted() == before && archive.names(archive.trash + "/files") == [])
  }

  @Test(
    "leave the file alone that has their name while they are in the trash",
    arguments: [["rename", "@take0", "x"], ["trash", "@take0"], ["trash", "@2", "@take0"]])
  func namesakes(arguments: [String]) throws {
    let archive = try Archive(["a.wav", "b.wav", "c.wav"])
    try archive.run("trash", "@3")
    try archive.run("rename", "@2", "a")
    let before = archive.names("").sorted()
    let ended = try archive.studio.run("$recorder \(arguments.joined(separator: " "))")
    #expect(ended.code == 10 && ended.errors.contains("is in the trash"), "\(ended)")
    #expect(archive.names("").sorted() == before)
  }

  @Test(
    "stay unchanged if an undo is impossible, and the reason is reported",
    arguments: [
      (
        "echo other > .local/share/Trash/files/a.wav.new; mv .local/share/Trash/files/a.wav.new "
          + ".local/share/Trash/files/a.wav", 10, "another file has its name", true
      ),
      ("rm .local/share/Trash/files/*", 10, "the file is missing", false),
    ])
  func impossible(script: String, code: Int32, told: String, isKept: Bool) throws {
    let archive = try Archive(["a.wav", "b.wav"])
    try archive.run("rename", "@1", "z")
    try archive.run("trash", "@2")
    try archive.studio.run(script)
    let files = try archive.files()
    let outcome = try archive.run("undo")
    #expect(outcome.code == code && outcome.errors.contains(told), "\(outcome)")
    #expect(try archive.files() == files)
    // The next undo skips a file that no longer exists, but not one that is only blocked.
    let next = try archive.run("undo")
    #expect((next.code == 0) == !isKept, "\(next)")
    #expect(archive.names("").contains("b.wav") == !isKept)
  }

  @Test("are found by their old paths, in the trash and after a rename")
  func formerPaths() throws {
    let archive = try Archive(["a.wav", "b.wav"])
    let outcome = try archive.studio.run(
      """
      "$recorder" trash a.wav > said; "$recorder" rename b.wav c > said
      for command in 'info a.wav' 'show a.wav' 'export a.wav x.flac' 'trash a.wav' 'rename a.wav x' \
        'info b.wav' 'trash b.wav' 'trash none.wav'; do "$recorder" $command 2>&1 | head -n 1; done
      echo mine > a.wav; "$recorder" trash a.wav 2>&1 | head -n 1; ls a.wav
      """)
    let trashed = #"recorder: "a.wav" is in the trash"#
    let renamed =
      #"recorder: "b.wav" was renamed to "\#(archive.studio.scratch.path("c.wav"))""#
    #expect(
      outcome.output.split(separator: "\n").map(String.init)
        == Array(repeating: trashed, count: 5) + [renamed, renamed] + [
          #"recorder: no take or file named "none.wav""#,
          #"recorder: "a.wav" is not in the list of takes"#,
          "a.wav",
        ], "\(outcome)")
  }

  @Test("are suggested if the @ before their number or name was left out")
  func bareReferences() throws {
    let archive = try Archive(["a.wav", "b.wav"])
    let outcome = try archive.studio.run(
      """
      for command in 'trash 1' 'rename take0 x' 'info 2' 'export take1 x.flac' 'trash 3'; do
        "$recorder" $command 2>&1 | tail -n 1
      done
      """)
    #expect(
      outcome.output == """
        recorder: did you mean the take "@1"?
        recorder: did you mean the take "@take0"?
        recorder: did you mean the take "@2"?
        recorder: did you mean the take "@take1"?
        recorder: "recorder takes" lists the takes with their files

        """, "\(outcome)")
    #expect(archive.names("").contains("a.wav") && archive.names("").contains("b.wav"))
  }

  @Test("get the extension of their format by a rename, but not another one")
  func extended() throws {
    let outcome = try Studio().run(
      """
      start .talk > /dev/null 2>&1; captured 0.2; "$recorder" stop > /dev/null
      "$recorder" rename @1 talk.flac; echo $?; "$recorder" rename @1 talk.wav; ls *.wav
      """)
    #expect(
      outcome.output.hasPrefix("64\n") && outcome.output.hasSuffix("talk.wav\n"), "\(outcome)")
  }

  @Test("do not change if they are renamed to their own name")
  func sameName() throws {
    let archive = try Archive(["a.wav"])
    let outcome = try archive.studio.run(
      "\"$recorder\" rename @1 a; \"$recorder\" rename @1 a.wav; \"$recorder\" undo; echo $?")
    let line = "It already has that name\n"
    #expect(outcome.output == line + line + "10\n", "\(outcome)")
  }

  @Test("get another name if theirs is taken, keep their numbers, and can be redone")
  func restoredBeside() throws {
    let archive = try Archive(["a.wav", "b.wav"])
    let outcome = try archive.studio.run(
      """
      "$recorder" trash a.wav > said; echo mine > a.wav; "$recorder" undo
      "$recorder" takes | cut -c1-3; "$recorder" redo; "$recorder" undo; cat a.wav; ls -1 *.wav*
      """)
    let home = archive.studio.scratch.path
    #expect(
      outcome.output.replacing(home + "/", with: "").replacing(/It was moved.*\n/, with: "") == """
        Restored a-restored.wav, because its old name is taken
        2  \n1  \nMoved a-restored.wav to the trash
        Restored a-restored.wav
        mine
        a-restored.wav
        a-restored.wav.json
        a.wav
        b.wav

        """, "\(outcome)")
  }

  @Test("belong to the right take if another take had the name meanwhile")
  func returned() throws {
    let archive = try Archive(["a.wav"])
    let outcome = try archive.studio.run(
      """
      "$recorder" permission grant > said; "$recorder" trash @1 > said; start a.wav --name later > said; captured 0.1 later
      "$recorder" stop > said; mkdir -p x/y; mv a.wav x/y; "$recorder" undo > said
      "$recorder" takes --json; "$recorder" info @1 --json; "$recorder" trash @later; ls a.wav
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let takes = try #require(try parsed(lines[0])["takes"] as? [[String: Any]])
    #expect(takes.map { $0["number"] as? Int } == [1, nil], "\(outcome)")
    #expect(takes.map { $0["exists"] as? Bool } == [true, false])
    #expect(takes.map { $0["replaced"] as? Bool } == [false, false])
    #expect(lines.last == "a.wav" && outcome.errors.contains("no longer exists"), "\(outcome)")
  }

  @Test(
    "are listed and restored by the desktop's own tools", .requires(tool: "trash-restore"))
  func desktop() throws {
    let name = "Ünï 100% [x] & \"y\".wav"
    let archive = try Archive([name, "b.wav"])
    try archive.run("trash", "@2")
    let listed = try archive.studio.run("trash-list")
    #expect(listed.output.contains(archive.studio.scratch.path(name) + "\n"), "\(listed)")
    let restored = try archive.studio.run(
      "echo 0 > answer; for n in 1 2; do trash-restore \"$HOME\" < answer; done")
    #expect(archive.names("").contains(name), "\(restored)")
    #expect(try archive.takes().first?["exists"] as? Bool == true)
    let undone = try archive.run("undo")
    #expect(undone.code == 0 && undone.output.contains("was already restored"), "\(undone)")
    #expect(archive.names("").contains(name + ".json"))
  }

  @Test("are restored by GLib's gio, which finds their announcement", .requiresTrashDaemon)
  func gio() throws {
    // The name is in ASCII, because GLib 2.74 writes other letters as \xc3, also for files that it
    // moved to the trash itself.
    let name = "100% [x] & \"y\".wav"
    let archive = try Archive([name, "b.wav"])
    let all = try archive.files()
    try archive.run("trash", "@1", "@2")
    let restored = try archive.studio.run(
      """
      dbus-run-session -- sh -c 'gio trash --list > run/listed
      cut -f 1 run/listed | while read -r place; do gio trash --restore "$place" || echo "left: $place"; done'
      cut -f 2 run/listed | sort
      """)
    let paths = [name, name + ".json", "b.wav"].map { archive.studio.scratch.path($0) }
    #expect(
      restored.output.split(separator: "\n").map(String.init).sorted() == paths.sorted(),
      "\(restored)")
    #expect(try archive.files() == all && archive.names(archive.trash + "/files") == [])
    #expect(archive.names(archive.trash + "/info") == [])
    #expect(try archive.takes().allSatisfy { $0["exists"] as? Bool == true })
    let undone = try archive.run("undo")
    #expect(undone.code == 0 && undone.output.contains("was already restored"), "\(undone)")
  }

  @Test("undo skips a recording or a file that was deleted since only with --older")
  func deleted() throws {
    let studio = try Studio()
    let made = try studio.run(
      """
      start -q --duration 100ms a.wav > log; "$recorder" wait > log; "$recorder" rename @1 x > log
      start -q b.wav > log; captured 0.1; "$recorder" cancel --delete > log
      "$recorder" undo; echo $?; ls *.wav; "$recorder" undo --older; ls *.wav
      "$recorder" redo > log; "$recorder" undo; ls *.wav; "$recorder" redo > log
      start -q --foreground --split 1s --keep 1 --duration 2500ms s.wav > log; "$recorder" undo
      "$recorder" rename x.wav y > log; "$recorder" undo; "$recorder" undo; "$recorder" undo --older
      """)
    let home = studio.scratch.path
    #expect(
      made.output.hasPrefix("10\nx.wav\nRenamed \(home)/x.wav to a.wav\nIt was renamed "),
      "\(made)")
    #expect(made.output.components(separatedBy: "Renamed").count == 5, "\(made)")
    let refusals = made.errors.split(separator: "\n").filter { $0.contains("cannot restore") }
    #expect(refusals.count == 3, "\(made)")
    #expect(refusals.first?.contains("b.wav\": \"recorder cancel --delete\" deleted it ") == true)
    #expect(refusals.dropFirst().allSatisfy { $0.contains("--keep deleted it") }, "\(made)")
    #expect(made.errors.contains("a.wav\" was renamed") && made.errors.contains("undo --older\""))
  }

  @Test(
    "If another file takes the place of one that never arrived in the trash, it is not restored")
  func strangerInTrash() throws {
    let studio = try Studio(granting: false)
    let kill = try studio.library("kill")
    var met = 0
    for call in 1...26 {
      let archive = try Archive(["a.wav"], sidecars: false, kill: kill)
      _ = try Tool.run(
        try Products.recorder, ["trash", "@1"],
        environment: archive.studio.environment.merging(archive.killing(call)) { $1 })
      let place = archive.trash + "/files/a.wav"
      guard !archive.names(archive.trash + "/info").isEmpty,
        (try? archive.studio.scratch.read(place)) == nil
      else { continue }
      met += 1
      try archive.studio.scratch.write("a stranger", to: place)
      #expect(try archive.run("undo").code == 10)
      #expect(archive.names(archive.trash + "/info") == [], "killed before call \(call)")
      #expect(try archive.files() == ["a stranger"] + archive.contents)
    }
    #expect(met > 1)
  }

  @Test("A list that is killed while it writes the index leaves the next list complete")
  func killedIndex() throws {
    for call in 1...12 {
      let archive = try Archive((0..<4).map { "\($0).wav" })
      let ended = try Tool.run(
        try Products.recorder, ["takes"],
        environment: archive.studio.environment.merging(archive.killing(call)) { $1 })
      #expect(ended.code == nil || ended.code == 0)
      #expect(try archive.takes().map { $0["number"] as? Int } == [4, 3, 2, 1])
      #expect(try archive.run("takes", "--json").errors == "")
      let left = try archive.studio.run("ls -A $state | grep tmp")
      #expect(left.output == "", "\(left)")
    }
  }

  @Test("on another disk go to the trash in the top directory of that disk", .requiresNamespaces)
  func otherDisk() throws {
    let archive = try Archive(["a.wav"])
    let script = """
      mkdir -p disk/sub && mount -t tmpfs none disk && mkdir disk/sub && cp a.wav a.wav.json disk/sub
      sed -i "s|$HOME/a.wav|$HOME/disk/sub/a.wav|g" $state/takes.jsonl
      "$recorder" trash @1 > told; ls disk/sub; ls disk/.Trash-*/files
      grep Path= disk/.Trash-*/info/a.wav.trashinfo; "$recorder" undo > told; ls disk/sub
      mkdir -m 1777 disk/.Trash; "$recorder" trash @1 > told; ls disk/.Trash/*/files
      "$recorder" undo > told; chmod -t disk/.Trash; "$recorder" trash @1 > told
      ls disk/.Trash/*/files; ls disk/.Trash-*/files
      "$recorder" undo > told; rm -r disk/.Trash disk/.Trash-*; mkdir elsewhere
      ln -s ../elsewhere disk/.Trash-$(id -u); "$recorder" trash @1 || echo $?; ls disk/sub elsewhere
      """
    try archive.studio.scratch.write(script, to: "script")
    let told = try archive.studio.run("unshare -rm sh -e script")
    let both = "a.wav\na.wav.json\n"
    #expect(
      told.output == both + "Path=sub/a.wav\n" + both + both + both + "13\n"
        + "disk/sub:\na.wav\na.wav.json\n\nelsewhere:\n", "\(told)")
    #expect(told.errors.contains("the trash of its disk cannot be used"), "\(told)")
    #expect(told.errors.contains("nothing was changed"), "\(told)")
  }
}
