import Foundation
import Support
import Testing

@Suite("Exporting several files in sequence", .timeLimit(.minutes(10)))
struct JoinTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
    let made = try studio.run(
      """
      for n in a b; do
        start -q $n.wav && captured 0.2 && $recorder mark -q "in $n" && captured +0.1 && $recorder stop -q
      done > said
      """)
    #expect(made.code == 0, "\(made)")
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    try #require(try studio.soundBytes(name))
  }

  private func samples(_ bytes: [UInt8]) -> [Int16] {
    bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
  }

  @Test("keeps every sample of all files, in any part of the whole", arguments: ["wav", "flac"])
  func exact(ending: String) throws {
    let outcome = try studio.run(
      """
      $recorder export -q @2 all.\(ending) --join @1 --join a.wav &&
      $recorder export -q a.wav end.\(ending) --join b.wav --from 0.25 &&
      $recorder export -q a.wav late.\(ending) --join b.wav --from $(soxi -D a.wav)
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let (a, b) = (try bytes("a.wav"), try bytes("b.wav"))
    #expect(try bytes("all.\(ending)").elementsEqual(a + b + a))
    #expect(try bytes("end.\(ending)").elementsEqual((a + b).dropFirst(12_000 * 4)))
    let late = try bytes("late.\(ending)")
    // soxi rounds the length of a.
    #expect(abs(late.count - b.count) <= 400 && late.elementsEqual((a + b).suffix(late.count)))
  }

  @Test(
    "writes the files in the order of the command line, and says so",
    arguments: [
      "a.wav x.wav --join b.wav --join c.wav", "--join a.wav --join b.wav c.wav x.wav",
      "--join a.wav b.wav --join c.wav x.wav",
    ])
  func ordered(line: String) throws {
    let outcome = try studio.run("cp a.wav c.wav; $recorder export \(line)")
    #expect(outcome.output.hasSuffix("\nJoined  a.wav, then b.wav, then c.wav\n"), "\(outcome)")
    let (a, b) = (try bytes("a.wav"), try bytes("b.wav"))
    #expect(try bytes("x.wav").elementsEqual(a + b + a))
    let json = try studio.json("export --join b.wav a.wav y.wav")
    #expect(json["source"] as? String == "b.wav" && json["joined"] as? [String] == ["a.wav"])
  }

  @Test("is the advice for three files without --join")
  func three() throws {
    let outcome = try studio.run(
      "$recorder export a.wav b.wav x.wav; code=$?; ls x.wav; exit $code")
    #expect(outcome.code == 64 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("recorder export FIRST OUT --join SECOND"), "\(outcome)")
  }

  @Test("keeps the marks of all files, at their places in the whole")
  func marks() throws {
    let json = try studio.json("export a.wav all.wav --join b.wav")
    #expect((json["files"] as? [[String: Any]])?.first?["marks"] as? Int == 2)
    let cues = { (name: String) -> [[String: Any]] in
      let files = try studio.json("info \(name)")["files"] as? [[String: Any]]
      return files?.first?["marks"] as? [[String: Any]] ?? []
    }
    let frames = try (["a.wav", "b.wav"]).map { try #require(cues($0).first?["frame"] as? Int) }
    let length = try bytes("a.wav").count / 4
    let joined = try cues("all.wav")
    #expect(joined.map { $0["frame"] as? Int } == [frames[0], length + frames[1]])
    #expect(joined.map { $0["label"] as? String } == ["in a", "in b"])
  }

  @Test("converts the others to the rate and the channels of the first")
  func converted() throws {
    let outcome = try studio.run(
      """
      sox -D -R -n -r 44100 -c 1 -b 16 c.wav synth 1 sine 300 gain -6 && $recorder export -q a.wav x.wav --join c.wav &&
      $recorder export -q c.wav y.wav --join a.wav && soxi -c -r x.wav && soxi -c -r y.wav
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let a = try bytes("a.wav")
    let x = try bytes("x.wav")
    #expect(x.count == a.count + 48_000 * 4)
    // A mix of integers and floats is dithered.
    #expect(zip(samples(x), samples(a)).dropLast(100).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    let frames = Double(a.count / 4)
    let y = try bytes("y.wav").count / 2
    #expect(y == 44_100 + Int((frames * 44_100 / 48_000).rounded()))
  }

  @Test("has the chosen track of each take, and its marks", arguments: ["wav", "flac"])
  func tracks(ending: String) throws {
    let outcome = try studio.run(
      """
      for n in c d; do
        $recorder start -q $n.\(ending) \(SeparateTests.tracks) > said && captured 0.2 &&
        $recorder mark -q "in $n" > said && captured +0.1 && $recorder stop -q > said
      done
      $recorder export -q @2 far.flac --track far --join @1
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let parts = try ["c-far.\(ending)", "d-far.\(ending)"].map { try studio.decoded($0) }
    #expect(try studio.decoded("far.flac") == Array(parts.joined()))
    let info = try studio.json("info far.flac")["files"] as? [[String: Any]]
    let cues = info?.first?["marks"] as? [[String: Any]] ?? []
    #expect(cues.map { $0["label"] as? String } == ["in c", "in d"])
  }

  @Test("is refused if a take does not have the tracks of the first")
  func otherTracks() throws {
    let outcome = try studio.run(
      """
      record() { $recorder start -q "$@" > said && captured 0.1 && $recorder stop -q > said; }
      record c.wav --track mic=test:tone --track far=test:ramp
      record d.wav --track far=test:ramp --track mic=test:tone
      record e.wav \(SeparateTests.tracks) --track third=test:ramp
      for options in "--track far --join d.wav" "--track far --join a.wav" "--mix --join e-mic.wav"
      do
        $recorder export c.wav x.wav $options; echo $?
      done
      $recorder export c.wav x.wav --join e-mic.wav; echo $?; ls x.wav
      $recorder export -q c.wav x.wav --track far --join c.wav > said; echo $?
      """)
    #expect(outcome.output == "64\n64\n64\n64\n0\n", "\(outcome)")
    let facts = [3: "the tracks of the first take", 1: "channels, and the first take has 4\n"]
    for (count, fact) in facts {
      #expect(outcome.errors.split(separator: fact).count == count + 1, "\(outcome)")
    }
  }

  @Test("has the channels of all tracks, in one file or in several")
  func allTracks() throws {
    let outcome = try studio.run(
      """
      record() { $recorder start -q "$@" > said && captured 0.1 && $recorder stop -q > said; }
      record c.wav --track mic=test:tone --track far=test:ramp
      record e.wav \(SeparateTests.tracks)
      $recorder export -q c.wav x.wav --join e-mic.wav > said && sox -D x.wav far.wav remix 3 4 &&
      $recorder export -q e-mic.wav y.wav --join c.wav --join e-mic.wav > said && soxi -c x.wav y.wav &&
      sox -D c.wav c-far.wav remix 3 4 && $recorder export -q e-mic.wav mix.wav --mix --join c.wav &&
      $recorder export -q c.wav t.wav --track far --join e-mic.wav
      """)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output.hasPrefix("4\n4\n"), "\(outcome)")
    let parts = try ["c-far.wav", "e-far.wav"].map { try studio.decoded($0) }
    #expect(try studio.decoded("far.wav") == Array(parts.joined()))
    #expect(try studio.decoded("t.wav") == Array(parts.joined()))
  }

  @Test("is refused for a file that does not exist or is being recorded")
  func refused() throws {
    let none = try studio.run(
      "$recorder export a.wav x.wav --join none.wav; code=$?; ls x.wav; exit $code")
    #expect(none.code == 10 && none.output == "", "\(none)")
    let live = try studio.run(
      "start -q c.wav; $recorder export a.wav x.wav --join .c.wav.part; code=$?; $recorder stop -q; exit $code"
    )
    #expect(live.code == 11, "\(live)")
  }

  @Test("names the damaged file, and writes nothing")
  func damaged() throws {
    let outcome = try studio.run(
      """
      sox -D -R -n -r 8000 -c 1 -b 16 long.flac synth 40 pinknoise gain -6
      dd if=/dev/zero of=long.flac bs=1000 seek=450 count=20 conv=notrunc 2>/dev/null
      $recorder export a.wav x.wav --join b.wav --join long.flac; code=$?; ls x.wav; exit $code
      """)
    #expect(outcome.code == 16 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("\"long.flac\"") && !outcome.errors.contains("\"a.wav\""))
  }
}
