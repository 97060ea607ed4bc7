import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Store

@Suite("The journal of changes")
final class ChangeLogTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    for number in 0..<6 {
      var facts = TakeFacts(
        identifier: "id\(number / 2)", name: "talk", device: "test:ramp",
        stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
      facts.segment = number % 2 + 1
      facts.bytes = 10
      facts.path = try scratch.write("0123456789", to: "take \(number).wav")
      var result = RecordingResult(
        facts, reason: .stopped, exit: 0, began: .seconds(1_000 + number))
      if number % 3 == 0 {
        result.sidecar = try scratch.write("{}", to: "take \(number).wav.json")
      }
      try store.catalogue.add(result)
    }
  }

  private var journal: String { scratch.path("state/changes.jsonl") }
  private var lines: [UInt8] {
    (try? Data(contentsOf: URL(filePath: journal))).map(Array.init) ?? []
  }

  /// Returns a change that moved nothing, with a path of `size` bytes.
  private static func void(_ size: Int) -> String {
    let path = "/" + String(repeating: "x", count: size)
    return #"{"step":1,"action":"rename","moves":[{"take":"x","segment":1,"#
      + #""from":"\#(path)","to":"/y","file":{"inode":"1","size":1,"modified":1}}]}"#
      + "\n" + #"{"step":1,"made":0}"# + "\n"
  }

  private func change(
    _ changes: TakeChanges, _ number: Int, _ random: inout SeededGenerator
  ) throws {
    let take = try #require(store.catalogue.listedTakes.randomElement(using: &random))
    do {
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: _ = try changes.trash([take])
      case 2: _ = try changes.rename(take, to: nil, title: "title \(number)")
      case 3: _ = try changes.rename(take, to: "name \(number)", title: "title \(number)")
      case 4: _ = try changes.rename(take, to: "name \(number)")
      case 5, 6: _ = try changes.undo()
      default: _ = try changes.redo()
      }
    } catch let error as TakeChangeError {
      switch error {
      case .nothing, .missing: break
      default: Issue.record("round \(number): \(error)")
      }
    }
  }

  /// Expects that the shortened journal gives a reader the same information.
  private func expectSame(_ log: ChangeLog, _ when: Int) {
    let short = ChangeLog(log.shortened)
    #expect(short.movedPaths == log.movedPaths, "\(when)")
    #expect(short.undoable == Array(log.undoable.suffix(ChangeLog.kept)), "\(when)")
    #expect(short.redoable == Array(log.redoable.suffix(ChangeLog.kept)), "\(when)")
    #expect(short.unfinished == nil && short.next >= log.next, "\(when)")
  }

  @Test("gives the same result when it is shortened, after any changes")
  func same() throws {
    let changes = TakeChanges(store, trash: scratch.path("Trash"))
    var random = SeededGenerator(seed: 29)
    for round in 0..<80 {
      try change(changes, round, &random)
      if round % 4 == 3 { expectSame(ChangeLog(lines), round) }
    }
    #expect(!ChangeLog(lines).undoable.isEmpty)
  }

  @Test("changes a title without moving the file, and undoes that, also if the process dies")
  func titles() throws {
    let changes = TakeChanges(store, trash: scratch.path("Trash"))
    let (old, new) = (scratch.path("take 0.wav"), scratch.path("other.wav"))
    // A file that was moved by a hard link loses its old name.
    try FileManager.default.linkItem(atPath: old, toPath: scratch.path("link"))
    func take() -> ListedTake { store.catalogue.listedTakes[0] }
    _ = try changes.rename(take(), to: nil, title: "first")
    #expect(take().path == old && take().exists && take().words == "first")
    let both = try changes.rename(take(), to: "other", title: "second")
    #expect(both.moves.count == 2 && take().path == new && take().title == "second")
    #expect(try changes.rename(take(), to: "other", title: "second").moves.isEmpty)
    #expect(store.catalogue.changedTitle(at: new) == "second")
    #expect(store.catalogue.changedTitle(at: old) == nil)
    _ = try changes.trash([take()])
    #expect(take().state == .trashed && take().title == "second")
    expectSame(ChangeLog(lines), 0)
    for title in ["second", "first", ""] {
      _ = try changes.undo()
      #expect(take().exists && take().title == title)
    }
    expectSame(ChangeLog(lines), 1)
    _ = try changes.redo()
    #expect(take().path == old && take().title == "first")
    // The process dies before it writes the end of the change.
    let begun = lines.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { Array(lines[...$0]) }
    try Data(try #require(begun)).write(to: URL(filePath: journal))
    #expect(take().title == "first")
    _ = try changes.undo()
    #expect(take().path == old && take().exists && take().title.isEmpty)
  }

  @Test("is shortened by a change if it is long, and previous changes can still be undone")
  func long() throws {
    let changes = TakeChanges(store, trash: scratch.path("Trash"))
    let takes = store.catalogue.listedTakes
    _ = try changes.rename(takes[0], to: "other")
    _ = try changes.trash([takes[1]])
    _ = try changes.undo()
    let paths = store.catalogue.listedTakes.map(\.path)
    try Data((Self.void(150_000) + String(decoding: lines, as: UTF8.self)).utf8)
      .write(to: URL(filePath: journal))
    _ = try changes.redo()
    #expect((1..<20_000).contains(lines.count), "\(lines.count)")
    #expect(store.catalogue.listedTakes[1].state == .trashed)
    _ = try changes.undo()
    #expect(store.catalogue.listedTakes.map(\.path) == paths)
    _ = try changes.undo()
    #expect(store.catalogue.listedTakes.map(\.path) == takes.map(\.path))
    #expect(throws: TakeChangeError.nothing(.undo)) { _ = try changes.undo() }
    _ = try changes.redo()
    #expect(store.catalogue.listedTakes.map(\.path) == paths)
  }

  @Test("is unchanged if it is short, or if it would not become much shorter")
  func kept() throws {
    let directory = try Directory(scratch.path("state"))
    for size in [100, 90_000] {
      let line = Self.void(size).replacingOccurrences(of: #""made":0"#, with: #""made":1"#)
      let text = size > 1_000 ? line + line : line
      try Data(text.utf8).write(to: URL(filePath: journal))
      var log = ChangeLog(in: directory)
      log.shorten(in: directory)
      #expect(lines == Array(text.utf8) && !log.movedPaths.isEmpty)
    }
  }

  @Test("refuses a change that it could not store, before a file is moved")
  func refused() throws {
    let changes = TakeChanges(store, trash: scratch.path("Trash"), longest: 1_500)
    let takes = store.catalogue.listedTakes
    do {
      _ = try changes.trash(takes)
      Issue.record("six takes fit into 1500 bytes")
    } catch {
      guard case TakeChangeError.tooMany(8, let most) = error else { throw error }
      #expect((1...6).contains(most))
    }
    #expect(lines.isEmpty && store.catalogue.listedTakes == takes)
    #expect((try? FileStatus(of: scratch.path("Trash/files/take 0.wav"))) == nil)
    #expect((try? FileStatus(of: scratch.path("Trash/info/take 0.wav.trashinfo"))) == nil)
    // A change of fewer takes fits, and undo needs no space.
    _ = try changes.trash([takes[1]])
    _ = try TakeChanges(store, trash: scratch.path("Trash"), longest: 1).undo()
    #expect(store.catalogue.listedTakes.map(\.path) == takes.map(\.path))
  }

  @Test("reads the longest change with its undo and redo, whose lines may be longer")
  func longest() throws {
    // With long paths the longest change has fewer moves, so a debug build reads it faster.
    let folder = String(repeating: "interviews and other takes/", count: 20)
    func move(_ number: Int, info: String?, origin: String?, digits: Int64) -> TakeMove {
      TakeMove(
        take: TakeKey(identifier: "take\(number)", segment: 1),
        from: "/home/kim/\(folder)/talk \(number).wav",
        to: "/home/kim/Trash/files/talk \(number).wav",
        info: info, origin: origin,
        file: FileTrace(inode: UInt64(digits), size: digits, modified: digits))
    }
    let announced =
      "[Trash Info]\nPath=/home/kim/\(folder)/talk.wav\nDeletionDate=2026-03-01T14:00:00\n"
    func change(_ step: Int, _ action: TakeChange.Action, of original: Int?, _ count: Int)
      -> TakeChange
    {
      let info = "/home/kim/Trash/info/talk.trashinfo"
      let isBack = action == .undo
      let moves = (0..<count).map {
        move($0, info: info, origin: isBack ? nil : announced, digits: step == 1 ? 9 : 1 << 40)
      }
      return TakeChange(step: step, action: action, original: original, moves: moves)
    }
    let size = change(1, .trash, of: nil, 100).json.encoded().utf8.count
    let count = ChangeLog.longestChange / size * 100
    let whole = [
      change(1, .trash, of: nil, count), change(2, .undo, of: 1, count),
      change(3, .redo, of: 1, count),
    ]
    let lines = whole.map { $0.json.encoded() }
    #expect(lines[2].utf8.count > ChangeLog.longestChange)
    let text = zip(lines, whole).map { line, change in
      line + "\n" + ChangeLog.end(of: change, made: count).encoded() + "\n"
    }.joined()
    let log = ChangeLog(Array(text.utf8))
    #expect(log.movedPaths.count == count && log.undoable.count == 1 && log.redoable.isEmpty)
  }

  @Test("has one deletion for several in a row, also when it is shortened")
  func deletions() throws {
    let changes = TakeChanges(store, trash: scratch.path("Trash"))
    func note(_ action: TakeChange.Action, _ path: String) throws {
      try changes.note(action, of: path)
    }
    try note(.cancel, "/before")
    #expect(ChangeLog(lines).undoable.isEmpty)
    _ = try changes.rename(store.catalogue.listedTakes[0], to: "other")
    for path in ["/a", "/b", "/c"] { try note(.prune, path) }
    _ = try changes.rename(store.catalogue.listedTakes[1], to: "another")
    try note(.cancel, "/d")
    for log in [ChangeLog(lines), ChangeLog(ChangeLog(lines).shortened)] {
      #expect(log.undoable.map(\.action) == [.rename, .prune, .rename, .cancel])
      #expect(log.undoable.map(\.subject) == [nil, "/c", nil, "/d"])
    }
    #expect(throws: TakeChangeError.self) { _ = try changes.undo() }
    for _ in 0..<2 { _ = try changes.undo(older: true) }
    #expect(throws: TakeChangeError.nothing(.undo)) { _ = try changes.undo(older: true) }
  }

  @Test("has the last failed attempt until the next change, also when it is shortened")
  func failures() throws {
    let changes = TakeChanges(store, trash: scratch.path("Trash"))
    try changes.note(.fail, of: "trash @9")
    #expect(ChangeLog(lines).failed == nil)
    _ = try changes.rename(store.catalogue.listedTakes[0], to: "other")
    for command in ["trash @8", "trash @9"] { try changes.note(.fail, of: command) }
    for log in [ChangeLog(lines), ChangeLog(ChangeLog(lines).shortened)] {
      #expect(log.failed?.subject == "trash @9" && log.undoable.map(\.action) == [.rename])
    }
    do {
      _ = try changes.undo()
      Issue.record("an older change was undone")
    } catch {
      guard case TakeChangeError.final(let last, let former) = error else { throw error }
      #expect(last.subject == "trash @9" && former.action == .rename)
    }
    #expect(store.catalogue.listedTakes[0].path == scratch.path("other.wav"))
    // A later change, or the undo of an older one, replaces the failure.
    _ = try changes.rename(store.catalogue.listedTakes[1], to: "another")
    _ = try changes.undo()
    try changes.note(.fail, of: "trash @9")
    _ = try changes.undo(older: true)
    #expect(throws: TakeChangeError.nothing(.undo)) { _ = try changes.undo() }
    _ = try changes.redo()
    #expect(ChangeLog(lines).failed == nil)
  }

  @Test("keeps the last hundred changes to undo")
  func bounded() {
    let text = (1...250).map { step in
      #"{"step":\#(step),"action":"rename","moves":[{"take":"t","segment":1,"from":"/\#(step)","to":"/\#(step + 1)","#
        + #""file":{"inode":"1","size":1,"modified":1}}]}"# + "\n"
        + #"{"step":\#(step),"made":1}"# + "\n"
    }.joined()
    let log = ChangeLog(Array(text.utf8))
    let short = ChangeLog(log.shortened)
    #expect(short.undoable.map(\.step) == Array(151...250))
    #expect(short.movedPaths == log.movedPaths && short.movedPaths.count == 1)
  }
}
