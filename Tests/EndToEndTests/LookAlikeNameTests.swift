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

  @Test("of series keep their own files and deliveries", arguments: 0..<4)
  func series(seed: Int) throws {
    struct Series {
      let name: String
      var files: [Int] = []
      var waiting: Set<Int> = []
      func file(_ number: Int) -> [UInt8] {
        Array((name + (number == 1 ? ".wav" : "-00\(number).wav")).utf8)
      }
    }
    var random = SeededGenerator(seed: UInt64(seed))
    let delivery = try Delivery()
    let deliver = "rm -f down; await '\"$recorder\" deliver -q >/dev/null'"
    let names = try #require(Self.letters.randomElement(using: &random))
    var (all, log): ([Series], [String]) = (names.map { Series(name: $0) }, [])
    for _ in 0..<9 {
      let index = Int.random(in: 0..<all.count, using: &random)
      let (isDown, kept) = (Bool.random(using: &random), Int.random(in: 1...2, using: &random))
      let start = "start --duration 0.2 --split 1h --on-segment ./deliver --deliver --foreground"
      let name = all[index].name
      log.append("\(Array(name.utf8)) \(name), keep \(kept), down \(isDown)")
      _ = try delivery.run(
        """
        \(isDown ? "touch down" : deliver)
        \(start) --keep \(kept) \(name).wav >/dev/null; \(isDown ? "alone" : deliver)
        """)
      if !isDown { for other in all.indices { all[other].waiting = [] } }
      let new = (all[index].files.last ?? 0) + 1
      all[index].files.append(new)
      if isDown { all[index].waiting.insert(new) }
      let (waiting, newest) = (all[index].waiting, all[index].files.suffix(kept))
      all[index].files.removeAll { !newest.contains($0) && !waiting.contains($0) }
      let found = try Directory(delivery.studio.scratch.path).names().map { Array($0.utf8) }
      let expected = all.flatMap { series in series.files.map { series.file($0) } }
      #expect(
        Set(found.filter { $0.suffix(4).elementsEqual(".wav".utf8) }) == Set(expected),
        "\(log.joined(separator: "\n"))")
    }
    let outcome = try delivery.run("\(deliver); sort tried | uniq -d | wc -l; ls store | wc -l")
    #expect(outcome.output == "0\n9\n", "\(outcome) \(log)")
  }

  @Test("of one file in several spellings mean their own take", arguments: 0..<4)
  func spellings(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let studio = try Studio()
    try studio.run("mkdir -p real; ln -s real link")
    // The file of each take, or nil if the file was deleted, replaced or moved to the trash.
    var (files, log): ([String?], [String]) = ([], [])
    for step in 0..<12 {
      let file = ["x", "y"].randomElement(using: &random) ?? ""
      let owner = files.firstIndex(of: file)
      let isRecorded = files.isEmpty || Bool.random(using: &random)
      let take = isRecorded ? files.count : Int.random(in: 0..<files.count, using: &random)
      let directory =
        ["real", "./real", "link", "real/../link", "$HOME/real"]
        .randomElement(using: &random) ?? ""
      let script =
        isRecorded
        ? """
        rm -f real/\(file).wav; start -n t\(take) \(directory)/\(file).wav >/dev/null
        captured 0.1; "$recorder" stop >/dev/null; echo $?
        """ : "\"$recorder\" trash @t\(take) >/dev/null; echo $?"
      let outcome = try studio.run(script + "; ls real")
      let isPossible = isRecorded || files[take] != nil
      if isRecorded {
        if let owner { files[owner] = nil }
        files.append(file)
      } else {
        files[take] = nil
      }
      log.append("\(step): \(script): \(outcome)")
      let present = files.compactMap(\.self).sorted().map { $0 + ".wav\n" }.joined()
      #expect(
        outcome.output == (isPossible ? "0\n" : "10\n") + present,
        "\(log.joined(separator: "\n"))")
    }
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
