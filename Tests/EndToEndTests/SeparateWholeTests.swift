import Foundation
import Support
import Testing

@Suite("A take with a file for each track, as a whole", .timeLimit(.minutes(5)))
struct SeparateWholeTests {
  private let studio: Studio

  init() throws { studio = try Studio() }

  @Test(
    "is exported with all its tracks side by side, if the format can hold them",
    arguments: ["wav", "flac"])
  func exportedWhole(ending: String) throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.\(ending) \(SeparateTests.tracks) > said && captured 0.3 && $recorder stop -q > said
      $recorder export -q @1 all.wav > said && soxi -c all.wav && sox -D all.wav mic.wav remix 1 2 &&
      sox -D all.wav far.wav remix 3 4; $recorder export @1 all.mp3; echo $?
      sox -D a-far.\(ending) f.wav; rm a-far.\(ending); $recorder export @1 less.wav; echo $?; ls all.mp3 less.wav
      """)
    #expect(outcome.output == "4\n64\n10\n", "\(outcome)")
    #expect(outcome.errors.contains("add --track mic, --track far or --mix"), "\(outcome)")
    #expect(outcome.errors.contains("a-far.\(ending)"), "\(outcome)")
    let mic = try studio.decoded("mic.wav")
    #expect(try mic == studio.decoded("a-mic.\(ending)") && !mic.isEmpty)
    #expect(try studio.decoded("far.wav") == studio.decoded("f.wav"))
  }

  @Test("is described as a whole by its first file, and the other files name the take")
  func described() throws {
    let started = try studio.run("$recorder start a.wav \(SeparateTests.tracks) && captured 0.3")
    #expect(started.output.contains("WAV, 48000 Hz, 4 channels in 2 files, S16"), "\(started)")
    let outcome = try studio.run(
      """
      $recorder stop -q > said; $recorder info --levels @1; echo; $recorder info --levels a-far.wav
      $recorder export a-far.wav b.wav --track mic; echo $?
      """)
    let parts = outcome.output.components(separatedBy: "\n\n")
    #expect(parts[0].contains("4 channels in 2 files, "), "\(outcome)")
    #expect(parts[0].contains("of all files of the take"), "\(outcome)")
    let first = studio.scratch.path("a-mic.wav")
    let track = "the track \"far\" of the take \"\(first)\""
    let words = parts.last?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words?.contains(track) == true && outcome.output.hasSuffix("10\n"), "\(outcome)")
    #expect(outcome.errors.contains("it is \(track); give that file"), "\(outcome)")
    let levels = try ["@1", "a-far.wav"].map { name in
      let files = try studio.json("info --levels \(name)")["files"] as? [[String: Any]]
      return (files?.first?["levels"] as? [String: Any])?["peak"] as? Double
    }
    #expect(levels[0] != nil && levels[0] == levels[1], "\(levels)")
  }
}
