import Foundation
import Support
import Testing

@Suite("Takes that another program moved", .timeLimit(.minutes(10)))
struct MovedTakeTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
    let made = try studio.run(
      """
      mkdir rec rec/old here; cd rec
      for name in talk song; do
        start -q --name $name --sidecar always --duration 200ms $name.wav > said &&
          "$recorder" wait $name > said || exit
      done
      """)
    try #require(made.code == 0, "\(made)")
  }

  /// Returns the paths of the takes that `takes` lists, below the home, or `-` for a missing file.
  private func paths() throws -> [String] {
    let takes = try studio.json("takes")["takes"] as? [[String: Any]] ?? []
    return takes.map { take in
      guard take["exists"] as? Bool == true, let path = take["path"] as? String else { return "-" }
      return path.replacingOccurrences(of: studio.scratch.path + "/", with: "")
    }
  }

  @Test(
    "are played, described, renamed, trashed and restored with the new path, with a note",
    arguments: [
      ("mv rec/talk.wav rec/x.wav", "rec/x.wav"),
      ("mv rec/talk.wav rec/old/", "rec/old/talk.wav"),
      ("mv rec/talk.wav rec/talk.wav.json rec/old/", "rec/old/talk.wav"),
      ("mv rec/talk.wav rec/x.wav; mv rec/talk.wav.json rec/x.wav.json", "rec/x.wav"),
      ("mv rec/talk.wav x.wav", "x.wav"), ("mv rec away", "away/talk.wav"),
      ("cp -p rec/talk.wav x; rm rec/talk.wav; mv x talk.wav", "talk.wav"),
      ("rm rec/talk.wav.json; mv rec/talk.wav x.wav", "x.wav"),
    ])
  func moved(script: String, path: String) throws {
    let whole = studio.scratch.path(path)
    let played = try studio.run("\(script)\n$recorder play @talk --device test:null --json")
    #expect(played.code == 0 && played.output.contains(whole), "\(played)")
    let note = "has moved to \"\(whole)\""
    #expect(played.errors.contains(note) && played.errors.contains("rec/talk.wav\""), "\(played)")
    let again = try studio.run("$recorder info @talk; $recorder takes")
    #expect(again.code == 0 && again.errors.isEmpty && !again.output.contains("gone"), "\(again)")
    let changed = try studio.run(
      """
      set -e; $recorder rename @talk last; $recorder undo; $recorder trash @talk; $recorder undo
      $recorder export @talk copy.flac
      """)
    #expect(changed.code == 0 && changed.errors.isEmpty, "\(changed)")
    #expect(try paths().first == path)
  }

  @Test("are found after a move to another filesystem, with any name if the sidecar moved too")
  func filesystems() throws {
    let other = "/dev/shm/recorder-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: other) }
    let moved = try studio.run(
      """
      set -e; mkdir \(other); [ $(stat -c %d .) != $(stat -c %d \(other)) ]
      mv rec/talk.wav \(other); mv rec/song.wav \(other)/x.wav; mv rec/song.wav.json \(other)/x.wav.json
      cd \(other); $recorder takes --json; $recorder rename @song last
      """)
    #expect(moved.code == 0 && moved.errors.contains("1 other file moved too"), "\(moved)")
    #expect(try paths() == ["\(other)/talk.wav", "\(other)/last.wav"])
    let names = try FileManager.default.contentsOfDirectory(atPath: other).sorted()
    #expect(names == ["last.wav", "last.wav.json", "talk.wav"])
    let back = try studio.run("$recorder undo; $recorder export @talk copy.flac")
    #expect(back.code == 0 && back.errors.isEmpty, "\(back)")
    #expect(try paths() == ["\(other)/talk.wav", "\(other)/x.wav"])
  }

  @Test("are found by the state that recorder alone shows")
  func state() throws {
    let shown = try studio.run(
      "mv rec/song.wav rec/old/x.wav; script -qec '\"$recorder\"' /dev/null < /dev/null")
    #expect(shown.output.contains("rec/old/x.wav") && !shown.output.contains("gone"), "\(shown)")
    #expect(shown.output.contains("@1"), "\(shown)")
    #expect(try paths() == ["rec/talk.wav", "rec/old/x.wav"])
  }

  @Test("are found by a path if only the file of a further track was moved")
  func furtherTrack() throws {
    let outcome = try studio.run(
      """
      set -e; cd rec; $recorder start -q --name t --duration 300ms a.wav \(SeparateTests.tracks) > said
      $recorder wait t > said; mv a-far.wav old/x.wav; $recorder export a-mic.wav --mix mix.flac
      mv old/x.wav y.wav; $recorder trash @t > said; ls old *.wav
      """)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.hasSuffix("song.wav\ntalk.wav\n\nold:\n"), "\(outcome)")
    let notes = outcome.errors.components(separatedBy: "has moved to")
    #expect(notes.count == 3 && notes[1].contains("old/x.wav"), "\(outcome)")
  }

  @Test("are found by undo, which leaves them in their new directory")
  func undone() throws {
    let outcome = try studio.run(
      "$recorder rename @talk last -q > said; mv rec/last.wav rec/old/x.wav; $recorder undo")
    #expect(outcome.code == 0 && outcome.errors.contains("has moved to"), "\(outcome)")
    #expect(try paths() == ["rec/old/talk.wav", "rec/song.wav"])
  }

  @Test("keep their marks and their title if the sidecar was left behind")
  func leftBehind() throws {
    let outcome = try studio.run(
      """
      set -e; start -q --name a --title Budget rec/a.raw > said
      $recorder mark -q vote > said; $recorder stop a > said
      mv rec/a.raw rec/old/; $recorder info @a; $recorder export @a a.flac
      """)
    #expect(outcome.code == 0 && outcome.output.contains("vote"), "\(outcome)")
    #expect(try studio.run("$recorder info a.flac").output.contains("Budget"))
  }

  @Test(
    "stay missing if only another file has the name, and are not searched for in the trash",
    arguments: [
      "rm rec/talk.wav; cp rec/song.wav rec/old/talk.wav",
      "rm rec/talk.wav; echo x > talk.wav", "mv rec/talk.wav rec/old; ln rec/old/talk.wav x.wav",
      "rm rec/talk.wav.json; mv rec/talk.wav rec/old/x.wav; echo x >> rec/old/x.wav",
      "mkdir -p a/b; mv rec/talk.wav a/b",
      "$recorder trash @talk > said; mv .local/share/Trash/files/talk.wav rec/old",
    ])
  func others(script: String) throws {
    let outcome = try studio.run("\(script)\n$recorder takes 2>&1 >said; $recorder play @talk")
    #expect(outcome.code == 10 && outcome.output.isEmpty, "\(outcome)")
    #expect(try paths() == ["-", "rec/song.wav"])
  }

  @Test(
    "are not changed by a reference if another file has their path, and the message says so",
    arguments: ["rm talk.wav; cp song.wav talk.wav", "cp song.wav x; echo >> x; mv x talk.wav"])
  func foreign(script: String) throws {
    let outcome = try studio.run(
      """
      cd rec; \(script)
      $recorder trash @talk; echo $?; $recorder rename @2 x; echo $?; ls *.wav; $recorder info @talk > said
      $recorder trash talk.wav > said; ls *.wav; $recorder undo > said; ls *.wav
      """)
    let both = "song.wav\ntalk.wav\n"
    #expect(outcome.output == "10\n10\n" + both + "song.wav\n" + both, "\(outcome)")
    let told = outcome.errors.components(separatedBy: "another program has replaced")
    #expect(told.count == 4, "\(outcome)")
    let path = studio.scratch.path("rec/talk.wav")
    #expect(outcome.errors.contains("recorder trash \(path)\n"), "\(outcome)")
    #expect(outcome.errors.contains("recorder rename \(path) NAME\n"), "\(outcome)")
  }

  @Test("are found by the path that the user gives, and an old path leads to the new one")
  func typed() throws {
    let outcome = try studio.run(
      """
      mkdir -p a/b; mv rec/talk.wav a/b; $recorder rename a/b/talk.wav x
      mv rec/song.wav rec/old; $recorder info rec/song.wav
      """)
    #expect(outcome.code == 10 && outcome.output.contains("to x.wav"), "\(outcome)")
    let new = studio.scratch.path("rec/old/song.wav")
    #expect(outcome.errors.contains("was moved to \"\(new)\""), "\(outcome)")
    #expect(try paths() == ["a/b/x.wav", "rec/old/song.wav"])
  }

  @Test("are followed with all files of a split take and of its tracks")
  func parts() throws {
    let outcome = try studio.run(
      """
      set -e; cd rec; $recorder start -q --name t --duration 1s a.wav \(SeparateTests.tracks) > said
      $recorder wait t > said; start -q --name s --split 1s --duration 2500ms s.wav > said
      $recorder wait s > said; ls; mv a-*.wav* s.wav s-*.wav old
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let later = outcome.output.split(separator: "\n").filter { $0.hasPrefix("s-") }
    let pieces = ["s.wav"] + later.map(String.init)
    let listed = try paths()
    #expect(listed.dropFirst(2).first == "rec/old/a-mic.wav" && pieces.count > 1)
    #expect(Array(listed.dropFirst(3)) == pieces.map { "rec/old/\($0)" })
    let mixed = try studio.run("$recorder export @t --mix mix.flac && $recorder trash @t")
    #expect(mixed.code == 0, "\(mixed)")
    #expect(try studio.run("ls rec/old").output.split(separator: "\n").count == pieces.count)
  }
}
