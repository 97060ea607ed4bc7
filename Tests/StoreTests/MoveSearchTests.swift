import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Store

@Suite("Takes that another program moved")
final class MoveSearchTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore
  private let changes: TakeChanges
  /// The moves that were reported.
  private var reported: [TakeMove] = []

  private static let directories = ["takes", "takes/old", "takes/new", "here"]

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    changes = TakeChanges(store, trash: scratch.path("Trash"))
    let root = try Directory(scratch.path)
    for name in ["takes", "here"] { try root.makeDirectory(name) }
    let takes = try Directory(scratch.path("takes"))
    for name in ["old", "new"] { try takes.makeDirectory(name) }
  }

  /// Adds a take with a file of ten bytes for each of the names. The content identifies it.
  private func record(_ names: String..., hasSidecar: Bool = false) throws {
    let number = store.catalogue.takes.count
    var facts = TakeFacts(
      identifier: "id\(number)", name: "talk", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.bytes = Int64(10 * names.count)
    if names.count > 1 { facts.tracks = [] }
    for (track, name) in names.enumerated() {
      let path = try scratch.write("take \(number).\(track) x", to: "takes/" + name)
      facts.path = facts.path ?? path
      guard names.count > 1 else { continue }
      var made = Track(name: "t\(track)", device: "test:ramp", channels: 0..<2)
      (made.file, made.bytes) = (path, 10)
      facts.tracks.append(made)
    }
    var result = RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000 + number))
    if hasSidecar {
      result.sidecar = try scratch.write(#"{"id":"id\#(number)"}"#, to: "takes/\(names[0]).json")
    }
    try store.catalogue.add(result)
  }

  private func move(_ old: String, _ new: String) throws {
    try FileManager.default.moveItem(atPath: scratch.path(old), toPath: scratch.path(new))
  }

  /// Returns the takes after a search.
  private func found(in other: String = "here") -> [ListedTake] {
    store.catalogue.listedTakes(search(in: scratch.path(other)))
  }

  /// Searches for longer than a busy machine takes.
  private func search(in other: String) -> MoveSearch {
    MoveSearch(in: other, within: .seconds(60)) { moves in self.reported += moves }
  }

  @Test(
    "are found with their sidecars, reported once, and changed as others are",
    arguments: ["takes/song.wav", "takes/old/talk.wav", "takes/new/song.wav", "here/talk.wav"],
    ["along", "behind", "none"])
  func moved(path: String, sidecar: String) throws {
    try record("talk.wav", hasSidecar: sidecar != "none")
    try move("takes/talk.wav", path)
    if sidecar == "along" { try move("takes/talk.wav.json", path + ".json") }
    let take = try #require(found().first)
    #expect(take.path == scratch.path(path) && take.state == .whole && take.number == 1)
    let beside = scratch.path(sidecar == "along" ? path + ".json" : "takes/talk.wav.json")
    #expect(take.sidecar == (sidecar == "none" ? nil : beside))
    #expect(found() == [take] && reported.map(\.to) == [scratch.path(path)])
    #expect(reported.map(\.from) == [scratch.path("takes/talk.wav")])
    _ = try changes.rename(take, to: "last")
    _ = try changes.undo()
    _ = try changes.trash([take])
    #expect(found()[0].state == .trashed)
    _ = try changes.undo()
    #expect(found()[0].path == take.path && found()[0].sidecar == take.sidecar)
    #expect(found()[0].state == .whole && reported.count == 1)
  }

  @Test("are found by a reference, also if the move changes the numbers, or by the new path")
  func references() throws {
    for name in ["a.wav", "b.wav", "c.wav"] { try record(name) }
    func path(_ word: String) throws -> String? {
      let search = search(in: scratch.path("here"))
      guard case .take(let take) = store.catalogue.find(try #require(TakeReference(word)), search)
      else { return nil }
      return take.path
    }
    try move("takes/b.wav", "takes/old/x.wav")
    #expect(try path("@1") == scratch.path("takes/c.wav") && reported.isEmpty)
    #expect(try path("@3") == scratch.path("takes/a.wav"))
    #expect(try path("@2") == scratch.path("takes/old/x.wav"))
    // No search reads that directory, so the path has to be given.
    try Directory(scratch.path).makeDirectory("far")
    try move("takes/c.wav", "far/c.wav")
    #expect(found().last?.state == .missing)
    let file = scratch.path("far/c.wav")
    #expect(store.catalogue.take(at: file, search(in: file))?.identifier == "id2")
    #expect(try path("@1") == file)
  }

  @Test("keep their new directory when an earlier rename is undone and redone")
  func revised() throws {
    try record("talk.wav", hasSidecar: true)
    _ = try changes.rename(found()[0], to: "song")
    _ = try changes.rename(found()[0], to: "hymn", title: "Hymn")
    try move("takes/hymn.wav", "here/x.wav")
    _ = found()
    for (name, sidecar) in [("here/song", "takes/song"), ("here/talk", "takes/talk")] {
      _ = try changes.undo()
      let take = store.catalogue.listedTakes[0]
      #expect(take.path == scratch.path(name + ".wav") && take.state == .whole)
      #expect(take.sidecar == scratch.path(sidecar + ".wav.json") && take.title.isEmpty)
    }
    for name in ["here/song", "here/hymn"] {
      _ = try changes.redo()
      #expect(store.catalogue.listedTakes[0].path == scratch.path(name + ".wav"))
    }
    #expect(store.catalogue.listedTakes[0].title == "Hymn")
  }

  @Test("are found after a later take got the name, and keep away from its sidecar")
  func replaced() throws {
    try record("talk.wav")
    try move("takes/talk.wav", "takes/old/talk.wav")
    try record("talk.wav", hasSidecar: true)
    let newest = store.catalogue.newestTakes(2, search(in: scratch.path("here")))
    #expect(newest.map(\.state) == [.replaced, .whole] && reported.isEmpty)
    let takes = found()
    #expect(takes.map(\.path) == ["takes/old/talk.wav", "takes/talk.wav"].map { scratch.path($0) })
    #expect(takes.map(\.state) == [.whole, .whole] && takes[0].sidecar == nil)
  }

  @Test(
    "are followed if one has the path of another of the same size, also by this path",
    arguments: ["here/b.wav", "takes/b.wav"], [false, true])
  func exchanged(path: String, isTyped: Bool) throws {
    try record("a.wav")
    // The clock of a filesystem has steps of some milliseconds.
    let written = try FileStatus(of: scratch.path("takes/a.wav")).modified
    repeat {
      try scratch.write("x", to: "probe")
    } while try FileStatus(of: scratch.path("probe"))
      .modified == written
    try record("b.wav")
    try move("takes/a.wav", "here/b.wav")
    try move("takes/b.wav", "takes/a.wav")
    if path != "here/b.wav" { try move("here/b.wav", path) }
    let other = scratch.path("takes/a.wav")
    if isTyped {
      #expect(store.catalogue.take(at: other, search(in: other))?.identifier == "id1")
    }
    let takes = found()
    #expect(takes.map(\.path) == [scratch.path(path), other])
    #expect(takes.map(\.state) == [.whole, .whole] && takes.map(\.number) == [2, 1])
    #expect(reported.count == 2 && found() == takes)
  }

  @Test("are found with every file of their tracks, and after their directory was renamed")
  func tracks() throws {
    try record("a-t0.wav", "a-t1.wav", hasSidecar: true)
    try move("takes/a-t0.wav", "here/a-t0.wav")
    try move("takes/a-t1.wav", "takes/old/b.wav")
    let files = ["here/a-t0.wav", "takes/old/b.wav"]
    #expect(found()[0].tracks.map(\.file) == files.map { scratch.path($0) })
    #expect(reported.count == 2 && found()[0].sidecar == scratch.path("takes/a-t0.wav.json"))
    try record("talk.wav")
    try move("takes", "archive")
    #expect(found().map(\.path) == ["here/a-t0.wav", "archive/talk.wav"].map { scratch.path($0) })
  }

  @Test("are found if only the files of further tracks were moved, also by the path of the first")
  func furtherTracks() throws {
    try record("a-0.wav", "a-1.wav", "a-2.wav")
    let first = scratch.path("takes/a-0.wav")
    try move("takes/a-1.wav", "here/x.wav")
    try move("takes/a-2.wav", "takes/old/y.wav")
    let files = ["takes/a-0.wav", "here/x.wav", "takes/old/y.wav"].map { scratch.path($0) }
    #expect(store.catalogue.take(at: first, search(in: scratch.path("here")))?.files == files)
    #expect(reported.map(\.to) == Array(files.dropFirst()))
    try move("takes/old/y.wav", "takes/new/y.wav")
    let moved = scratch.path("takes/new/y.wav")
    let reference = try #require(TakeReference("@1"))
    let taken = store.catalogue.find(reference, search(in: first))
    let take = try #require(found().first)
    #expect(taken == .take(take) && take.files == files.dropLast() + [moved])
    try FileManager.default.removeItem(atPath: moved)
    #expect(found().map(\.files) == [take.files] && reported.count == 3)
  }

  @Test("are found by name after an edit, but not with another name and not in the trash")
  func edited() throws {
    for name in ["a.wav", "b.wav", "c.wav"] { try record(name) }
    _ = try changes.trash([found()[2]])
    for (old, new) in [("a", "a"), ("b", "x")] {
      try move("takes/\(old).wav", "takes/old/\(new).wav")
      let file = try FileHandle(forWritingTo: URL(filePath: scratch.path("takes/old/\(new).wav")))
      try file.seekToEnd()
      try file.write(contentsOf: Data("more".utf8))
      try file.close()
    }
    try move("Trash/files/c.wav", "takes/old/c.wav")
    #expect(found().map(\.state) == [.changed, .missing, .missing])
    #expect(reported.map(\.to) == [scratch.path("takes/old/a.wav")])
  }

  @Test("are not confused with another file of the name, with one of two links, or with a take")
  func others() throws {
    for name in ["a.wav", "b.wav", "old/c.wav", "c.wav"] { try record(name) }
    // The same name and size, but another time and content.
    try scratch.write("0123456789", to: "takes/old/a.wav")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
      ofItemAtPath: scratch.path("takes/old/a.wav"))
    try move("takes/a.wav", "Trash.wav")
    try move("takes/b.wav", "takes/old/b.wav")
    try FileManager.default.linkItem(
      atPath: scratch.path("takes/old/b.wav"), toPath: scratch.path("here/b.wav"))
    // The file of another take, which seems to be a copy.
    let date = try FileStatus(of: scratch.path("takes/c.wav")).modified
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: date / .seconds(1))],
      ofItemAtPath: scratch.path("takes/old/c.wav"))
    try move("takes/c.wav", "Trash2.wav")
    #expect(found().map(\.state) == [.missing, .missing, .whole, .missing])
    #expect(reported.isEmpty)
    try FileManager.default.removeItem(atPath: scratch.path("here/b.wav"))
    #expect(found()[1].path == scratch.path("takes/old/b.wav"))
  }

  @Test(
    "are recognized by a time that was stored in coarser steps",
    arguments: [
      (123_456_789, true), (123_456_700, true), (123_456_000, true), (120_000_000, true),
      (0, true), (-1_000_000_000, true), (123_456_788, false), (123_456_790, false),
      (200_000_000, false), (1_000_000_000, false), (-2_000_000_000, false),
    ])
  func times(part: Int64, isCopy: Bool) {
    let second: Int64 = 1_700_000_001_000_000_000
    let trace = FileTrace(inode: 1, size: 7, modified: second + 123_456_789)
    let copy = FileTrace(inode: 2, size: 7, modified: second + part)
    #expect(trace.isCopied(to: copy) == isCopy)
    #expect(!trace.isCopied(to: FileTrace(inode: 2, size: 8, modified: second + part)))
  }

  @Test(
    "have the right paths after any moves and changes", arguments: sampled([3, 14, 159, 2_653], 1))
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<5 { try record("\(number).wav", hasSidecar: number % 2 == 0) }
    for round in 0..<60 {
      let take = try #require(found().randomElement(using: &random))
      let name = "round \(round)"
      do {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: _ = try changes.trash([take])
        case 1, 2: _ = try changes.rename(take, to: name)
        case 3, 4: _ = try changes.undo()
        case 5: _ = try changes.redo()
        default:
          guard take.exists, let path = take.path else { continue }
          let directory = try #require(Self.directories.randomElement(using: &random))
          let target = scratch.path("\(directory)/\(name).wav")
          try FileManager.default.moveItem(atPath: path, toPath: target)
          guard let sidecar = take.sidecar, Bool.random(using: &random) else { break }
          try FileManager.default.moveItem(atPath: sidecar, toPath: target + ".json")
        }
      } catch let error as TakeChangeError {
        switch error {
        case .nothing, .missing: break
        default: Issue.record("round \(round): \(error)")
        }
      }
      try expectFound(round)
    }
  }

  /// Expects that each take is at its path, by the content of its file and of its sidecar.
  private func expectFound(_ round: Int) throws {
    for (number, take) in found().enumerated() {
      let path = try #require(take.trash ?? take.path)
      let content = try? String(contentsOfFile: path, encoding: .utf8)
      #expect(content == "take \(number).0 x", "round \(round): \(take)")
      guard take.exists, number % 2 == 0 else { continue }
      let sidecar = try String(contentsOfFile: try #require(take.sidecar), encoding: .utf8)
      #expect(sidecar == #"{"id":"id\#(number)"}"#, "round \(round): \(take)")
    }
    let log = store.catalogue.changeLog
    #expect(ChangeLog(log.shortened).movedPaths == log.movedPaths)
  }
}
