import Foundation
import Linux
import Support
import Testing

/// Swift compares texts by canonical equivalence, and so takes some of these names for one name.
@Suite("Names that look the same", .timeLimit(.minutes(10)))
struct LookAlikeNameTests {
  /// The spellings of a letter: composed, decomposed, compatible, or in another case.
  private static let letters = [
    ["\u{E9}", "e\u{301}", "\u{C9}"], ["K", "\u{212A}", "k"], ["\u{C5}", "\u{212B}", "A\u{30A}"],
    ["\u{3A9}", "\u{2126}"], ["fi", "\u{FB01}"], ["\u{AC00}", "\u{1100}\u{1161}"],
    ["a\u{323}\u{307}", "a\u{307}\u{323}", "\u{1EA1}\u{307}"],
  ]

  @Test("stand for different files in every command", arguments: 0..<8)
  func model(seed: Int) throws {
    var run = try Run(seed: UInt64(seed))
    for round in 0..<12 {
      try run.step()
      try run.check(round)
    }
  }

  @Test("can be recorded at the same time, under the name of another recording, and cut into files")
  func recordings() throws {
    let outcome = try Studio().run(
      """
      start -n a \u{E9}.wav > log; start -n b e\u{301}.wav > log; echo $?
      captured 0.1 a; captured 0.1 b; "$recorder" split b > log; captured +0.1 b
      "$recorder" stop --all > log; ls *.wav | wc -l
      start -n K kelvin.wav > log; captured 0.1 K; "$recorder" trash @\u{212A}; echo $?
      "$recorder" stop K > log; "$recorder" trash @\u{212A}; echo $?; "$recorder" info @\u{212A}; echo $?
      ls kelvin.wav; "$recorder" trash @K > log; ls kelvin.wav
      """)
    #expect(outcome.output == "0\n3\n10\n10\n10\nkelvin.wav\n", "\(outcome)")
  }

  /// Random changes of takes whose names look the same, with a model that knows only bytes.
  private struct Run {
    private let archive: Archive
    private var random: SeededGenerator
    /// The names without an extension.
    private let names: [String]
    /// The name of each take in bytes, oldest first. It is nil while the file is in the trash.
    private var files: [[UInt8]?]
    private var log: [String] = []

    init(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let chosen = LookAlikeNameTests.letters.shuffled(using: &random)
      let names = chosen[0].flatMap { first in chosen[1].map { first + $0 } }
      self.names = names
      let used = names.shuffled(using: &random).prefix(4)
      archive = try Archive(used.map { $0 + ".wav" }, sidecars: false)
      try archive.studio.run("sed -i 's/\"name\":\"take/\"name\":\"Ka/' $state/takes.jsonl")
      files = used.map { Array($0.utf8) }
      self.random = random
      try check(-1)
    }

    /// Trashes or renames a take. Undoes some of the changes.
    mutating func step() throws {
      let (word, take) = operand()
      let new = names[Int.random(in: 0..<names.count, using: &random)]
      let isRename = Bool.random(using: &random)
      let arguments = isRename ? ["rename", word, new] : ["trash", word]
      let before = files
      var isPossible = false
      if let take {
        let isFree = !files.contains(Array(new.utf8)) || files[take] == Array(new.utf8)
        isPossible = !isRename || isFree
        if isPossible { files[take] = isRename ? Array(new.utf8) : nil }
      }
      let outcome = try archive.run(arguments)
      log.append("\(arguments.map { Array($0.utf8) }) \(arguments): \(outcome)")
      #expect((outcome.code == 0) == isPossible, "\(log.joined(separator: "\n"))")
      guard files != before, Bool.random(using: &random) else { return }
      let undone = try archive.run("undo")
      log.append("undo: \(undone)")
      #expect(undone.code == 0, "\(log.joined(separator: "\n"))")
      files = before
    }

    /// Returns a path or a reference, and the number of the take that it means, or nil if it means
    /// none.
    private mutating func operand() -> (word: String, take: Int?) {
      let name = names[Int.random(in: 0..<names.count, using: &random)]
      let named = files.firstIndex(of: Array(name.utf8))
      let number = Int.random(in: 0..<files.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: return ("./\(name).wav", named)
      case 2: return ("@\(name)", named)
      case 3: return ("@\(name).wav", named)
      case 4: return ("@Ka\(number)", files[number] == nil ? nil : number)
      default: return ("@\u{212A}a\(number)", nil)
      }
    }

    /// Compares the directory and the list with the model.
    func check(_ round: Int) throws {
      let directory = try Directory(archive.studio.scratch.path)
      var found: [[UInt8]: String] = [:]
      for name in try directory.names() where name.utf8.suffix(4).elementsEqual(".wav".utf8) {
        let bytes = try Descriptor(opening: directory.path(of: name)).readAll(upTo: 1_000)
        found[Array(name.utf8.dropLast(4))] = String(decoding: bytes, as: UTF8.self)
      }
      var expected: [[UInt8]: String] = [:]
      for (file, content) in zip(files, archive.contents.reversed()) {
        if let file { expected[file] = content }
      }
      #expect(found == expected, "round \(round)\n\(log.joined(separator: "\n"))")
      let listed = try archive.takes().map { take -> [UInt8]? in
        guard take["exists"] as? Bool == true, let path = take["path"] as? String else {
          return nil
        }
        return Array(path.utf8.dropFirst(archive.studio.scratch.path("").utf8.count).dropLast(4))
      }
      #expect(listed == files, "round \(round)\n\(log.joined(separator: "\n"))")
    }
  }
}
