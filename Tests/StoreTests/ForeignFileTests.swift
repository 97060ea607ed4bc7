import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Store

@Suite("A take whose file another program has replaced")
final class ForeignFileTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore
  private let changes: TakeChanges

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    changes = TakeChanges(store, trash: scratch.path("Trash"))
  }

  /// Adds a take with a file of ten bytes for each of the names.
  private func record(_ names: String...) throws {
    let number = store.catalogue.takes.count
    var facts = TakeFacts(
      identifier: "id\(number)", name: "talk", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.bytes = Int64(10 * names.count)
    facts.path = scratch.path(names[0])
    if names.count > 1 { facts.tracks = [] }
    for (index, name) in names.enumerated() {
      if !FileManager.default.fileExists(atPath: scratch.path(name)) {
        try scratch.write("take \(number).\(index) x", to: name)
      }
      guard names.count > 1 else { continue }
      var track = Track(name: "t\(index)", device: "test:ramp", channels: 0..<2)
      (track.file, track.bytes) = (scratch.path(name), 10)
      facts.tracks.append(track)
    }
    try store.catalogue.add(
      RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000 + number)))
  }

  /// Moves a new file to the path of another one.
  private func replace(_ name: String, by content: String) throws {
    try scratch.write(content, to: "new")
    try FileManager.default.removeItem(atPath: scratch.path(name))
    try FileManager.default.moveItem(atPath: scratch.path("new"), toPath: scratch.path(name))
  }

  /// Returns the newest take, looked up by its number alone or among many.
  private func newest(amongMany: Bool = false) throws -> ListedTake {
    let reference = try #require(TakeReference("@1"))
    if amongMany {
      let search = MoveSearch(in: scratch.path) { _ in }
      return try #require(store.catalogue.finder(search).take(reference, at: ""))
    }
    guard case .take(let take) = store.catalogue.find(reference) else {
      throw TakeChangeError.unfiled
    }
    return take
  }

  @Test(
    "is not changed by a reference, only by the path of the file",
    arguments: ["another text", "0123456789"], [false, true])
  func refused(content: String, amongMany: Bool) throws {
    try record("a.wav")
    let path = scratch.path("a.wav")
    try replace("a.wav", by: content)
    let take = try newest(amongMany: amongMany)
    #expect(take.exists && take.isDoubtful)
    #expect(throws: TakeChangeError.foreign(path, take: path, .trash)) {
      _ = try changes.trash([take])
    }
    #expect(throws: TakeChangeError.foreign(path, take: path, .rename)) {
      _ = try changes.rename(take, to: "b")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
    let typed = try #require(store.catalogue.take(at: path))
    _ = try changes.trash([typed])
    #expect(!FileManager.default.fileExists(atPath: path))
    _ = try changes.undo()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
  }

  @Test("is not changed by a reference if only the file of a further track was replaced")
  func tracks() throws {
    try record("a-0.wav", "a-1.wav")
    let (first, second) = (scratch.path("a-0.wav"), scratch.path("a-1.wav"))
    _ = try changes.rename(try newest(), to: "b")
    _ = try changes.undo()
    try replace("a-1.wav", by: "another text")
    #expect(throws: TakeChangeError.foreign(second, take: first, .trash)) {
      _ = try changes.trash([try newest()])
    }
    _ = try changes.trash([try #require(store.catalogue.take(at: first))])
    #expect(!FileManager.default.fileExists(atPath: second))
  }

  @Test("differs from a take that was edited in place")
  func edited() throws {
    try record("a.wav")
    try edit("a.wav")
    let take = try newest()
    #expect(take.state == .changed && !take.isDoubtful)
    _ = try changes.trash([take])
    #expect(try newestIsTrashed())
  }

  /// Adds bytes to a file in place.
  private func edit(_ name: String) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: scratch.path(name)))
    try file.seekToEnd()
    try file.write(contentsOf: Data("more".utf8))
    try file.close()
  }

  /// Replaces the file of a new take by a copy with the same old time.
  private func recordAndRestore(_ name: String) throws {
    let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1e9)]
    let path = scratch.path(name)
    try scratch.write("0123456789", to: name)
    try FileManager.default.setAttributes(old, ofItemAtPath: path)
    try record(name)
    try replace(name, by: "0123456789")
    try FileManager.default.setAttributes(old, ofItemAtPath: path)
  }

  @Test("differs from a copy with an old time that was renamed, then edited in place")
  func editedCopy() throws {
    try recordAndRestore("a.wav")
    _ = try changes.rename(try newest(), to: "b")
    try edit("b.wav")
    let take = try newest()
    #expect(take.state == .changed && !take.isDoubtful)
    _ = try changes.trash([take])
    #expect(try newestIsTrashed())
  }

  @Test("differs from a copy of a further track that was renamed, then edited in place")
  func editedTrack() throws {
    let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1e9)]
    let path = try scratch.write("0123456789", to: "a-1.wav")
    try FileManager.default.setAttributes(old, ofItemAtPath: path)
    try record("a-0.wav", "a-1.wav")
    try replace("a-1.wav", by: "0123456789")
    try FileManager.default.setAttributes(old, ofItemAtPath: path)
    _ = try changes.rename(try newest(), to: "b")
    let renamed = URL(filePath: try #require(try newest().files.last)).lastPathComponent
    #expect(renamed != "a-1.wav")
    try edit(renamed)
    _ = try changes.trash([try newest()])
    #expect(try newestIsTrashed())
  }

  @Test("differs from a take that was restored from a copy with the same time")
  func restored() throws {
    try recordAndRestore("a.wav")
    let take = try newest()
    #expect(take.state == .whole && !take.isDoubtful)
    _ = try changes.trash([take])
    #expect(try newestIsTrashed())
  }

  private func newestIsTrashed() throws -> Bool {
    try #require(store.catalogue.listedTakes.last).state == .trashed
  }

  @Test("is recognized if the new file has the inode of the old one, by the time of its creation")
  func reusedInode() throws {
    let path = try scratch.write("0123456789", to: "a.wav")
    let status = try FileStatus(of: path)
    // Not every filesystem stores the time.
    guard let birth = FileStatus.birth(of: path)?.wholeNanoseconds else { return }
    let cases: [(inode: UInt64, modified: Int64, birth: Int64?, isSame: Bool)] = [
      (status.inode, birth + 1, nil, true), (status.inode, birth, nil, true),
      (status.inode, birth - 1, nil, false), (status.inode + 1, birth + 1, nil, false),
      (status.inode, birth - 1, birth, true), (status.inode, birth + 1, birth - 1, false),
    ]
    for (inode, modified, birth, isSame) in cases {
      let former = FileTrace(inode: inode, size: 7, modified: modified, birth: birth)
      #expect(former.isSame(as: FileTrace(status), at: path) == isSame)
      let moved = FileTrace(inode: inode, size: status.size, modified: modified, birth: birth)
      #expect(moved.isAt(path) == isSame)
    }
  }

  @Test("is missing if its path shows the file of another take, also with the same inode")
  func otherTake() throws {
    try record("a.wav")
    let old = try FileStatus(of: scratch.path("a.wav")).inode
    try record("b.wav")
    let new = try FileStatus(of: scratch.path("b.wav")).inode
    try FileManager.default.removeItem(atPath: scratch.path("a.wav"))
    // A mount can show one file at two paths.
    try FileManager.default.linkItem(
      atPath: scratch.path("b.wav"), toPath: scratch.path("a.wav"))
    let list = scratch.path("state/takes.jsonl")
    let lines = try String(contentsOfFile: list, encoding: .utf8)
    let changed = lines.replacingOccurrences(of: "\"\(old)\"", with: "\"\(new)\"")
    try #require(changed != lines)
    try Data(changed.utf8).write(to: URL(filePath: list))
    #expect(store.catalogue.listedTakes.map(\.state) == [.missing, .whole])
  }
}
