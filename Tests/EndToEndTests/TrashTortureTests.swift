import Foundation
import Linux
import Support
import Testing

@Suite("Takes whose changes are killed at any call", .timeLimit(.minutes(90)))
struct TrashTortureTests {
  /// The sequences in each of the eight parts. A long run has 160 in all.
  private static let sequences = isThorough ? 20 : 5

  @Test(
    "No file is lost or replaced, and list, undo and trash agree", arguments: 0..<8)
  func killed(part: Int) throws {
    let studio = try Studio(granting: false)
    let kill = try studio.library("kill")
    for number in 0..<Self.sequences {
      var sequence = try Sequence(seed: UInt64(part * 100_000 + number), kill)
      try sequence.run()
      if let fault = sequence.fault {
        Issue.record(
          "sequence \(part)/\(number): \(fault)\n\(sequence.log.joined(separator: "\n"))")
        return
      }
    }
  }

  /// A random sequence of changes. Each may be killed before any of its calls.
  private struct Sequence {
    let archive: Archive
    private var random: SeededGenerator
    private(set) var log: [String] = []
    private(set) var fault: String?
    private var strangers = 0
    private var isMade = false
    /// The content of all files that must exist.
    private var expected: [String]

    init(seed: UInt64, _ kill: String) throws {
      random = SeededGenerator(seed: seed)
      archive = try Archive(["a.wav", "b.wav", "c.wav"], kill: kill)
      expected = try archive.files()
    }

    mutating func run() throws {
      for _ in 0..<Int.random(in: 2...6, using: &random) {
        try step()
        if fault != nil { return }
      }
      // Without files of other programs all changes can be undone and redone.
      if strangers == 0 { try rewind() }
    }

    private mutating func step() throws {
      let isLong = Int.random(in: 0..<3, using: &random) == 0
      if isLong { try archive.lengthenJournal() }
      let calls = isLong ? 34 : 26
      let killing = Bool.random(using: &random) ? Int.random(in: 1...calls, using: &random) : nil
      let name = ["a", "b", "x", "y.wav"].randomElement(using: &random) ?? "x"
      let take = "@\(Int.random(in: 1...3, using: &random))"
      switch Int.random(in: 0..<20, using: &random) {
      case 0...5: try call(["trash", take], killing)
      case 6: try call(["trash", "@1", "@3"], killing)
      case 7...11: try call(["rename", take, name], killing)
      case 12...15: try call(["undo", "--older"], killing)
      case 16...18: try call(["redo"], killing)
      default: try intrude()
      }
      // The next successful change removes the announcement of a killed one.
      try check(isWhole: killing == nil && isMade)
    }

    private mutating func call(_ arguments: [String], _ killing: Int?) throws {
      var environment = archive.studio.environment
      if let killing { environment.merge(archive.killing(killing)) { $1 } }
      let ended = try Tool.run(
        try Products.recorder, arguments, environment: environment,
        directory: archive.studio.scratch.path)
      isMade = ended.code == 0
      log.append(
        "\(arguments) killing \(killing ?? 0): \(ended.code ?? -9) \(ended.outputText)\(ended.errorText)"
      )
      if ![nil, 0, 10, 13, 14].contains(ended.code) { fault = "exit \(ended.code ?? -1)" }
      let size = try archive.journal.count
      if isMade, size > 131_072 { fault = "the journal has \(size) bytes" }
    }

    /// Makes a file, as another program would, at a path that a change may need.
    private mutating func intrude() throws {
      strangers += 1
      isMade = false
      let name = ["a.wav", "x.wav", "y.wav", archive.trash + "/files/a.wav"].randomElement(
        using: &random)
      let content = "stranger \(strangers)"
      guard let name, (try? archive.studio.scratch.read(name)) == nil,
        (try? archive.studio.scratch.write(content, to: name)) != nil
      else { return }
      log.append("a stranger at \(name)")
      expected = (expected + [content]).sorted()
    }

    private mutating func check(isWhole: Bool) throws {
      let files = try archive.files()
      if files != expected { fault = "files are \(files)" }
      let takes = try archive.takes()
      for (take, content) in zip(takes, archive.contents.reversed()) {
        let place = (take["trash"] ?? take["path"]) as? String ?? ""
        let found = try? String(contentsOfFile: place, encoding: .utf8)
        if found != content { fault = "the list has \(place) for \(content)" }
        if (take["exists"] as? Bool) == (take["trash"] != nil) {
          fault = "\(place) is said to exist"
        }
      }
      if takes.count != archive.contents.count { fault = "the list has \(takes.count) takes" }
      guard isWhole else { return }
      let infos = archive.names(archive.trash + "/info").map {
        $0.dropLast(10).split(separator: "/").last
      }
      let trashed = archive.names(archive.trash + "/files").filter { name in
        let text = (try? archive.studio.scratch.read(name)).map {
          String(decoding: $0, as: UTF8.self)
        }
        return text?.hasPrefix("stranger") == false
      }.map { $0.split(separator: "/").last }
      if Set(infos) != Set(trashed) { fault = "the trash has \(trashed), announced are \(infos)" }
    }

    private mutating func rewind() throws {
      // This completes a change that was killed.
      try call(["undo", "--older"], nil)
      try call(["redo"], nil)
      let before = try archive.takes().map { "\($0["path"] ?? "") \($0["exists"] ?? "")" }
      var steps = 0
      while try archive.run("undo", "--older").code == 0 { steps += 1 }
      if archive.names("").filter({ $0.hasSuffix(".wav") }).sorted() != ["a.wav", "b.wav", "c.wav"]
      {
        fault = "undone are \(archive.names(""))"
      }
      try check(isWhole: true)
      for _ in 0..<steps where try archive.run("redo").code != 0 { fault = "a redo failed" }
      let after = try archive.takes().map { "\($0["path"] ?? "") \($0["exists"] ?? "")" }
      if after != before { fault = "\(before) was undone and redone to \(after)" }
      try check(isWhole: true)
    }
  }
}
