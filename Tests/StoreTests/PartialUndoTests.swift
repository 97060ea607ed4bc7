import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Store

@Suite("An undo that fails after some files")
final class PartialUndoTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore
  private let changes: TakeChanges

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    changes = TakeChanges(store, trash: scratch.path("Trash"))
    try Directory(scratch.path).makeDirectory("day")
    for (number, name) in ["day/a.wav", "b.wav"].enumerated() {
      var facts = TakeFacts(
        identifier: "id\(number)", name: "talk", device: "test:ramp",
        stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
      facts.path = try scratch.write("0123456789", to: name)
      facts.bytes = 10
      try store.catalogue.add(
        RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000 + number)))
    }
  }

  private var states: [ListedTake.State] { store.catalogue.listedTakes.map(\.state) }

  /// Moves both takes to the trash, and restores only the second one: the directory of the first
  /// one is on another filesystem then.
  private func undoPartly() throws {
    let day = scratch.path("day")
    _ = try changes.trash(store.catalogue.listedTakes)
    try FileManager.default.removeItem(atPath: day)
    try FileManager.default.createSymbolicLink(
      atPath: day, withDestinationPath: "/proc/self")
    #expect(throws: TakeChangeError.self) { _ = try self.changes.undo() }
    try Directory(scratch.path).remove("day")
    try Directory(scratch.path).makeDirectory("day")
    #expect(states == [.trashed, .whole])
  }

  @Test("can be repeated for the other files, and is then redone completely")
  func repeated() throws {
    try undoPartly()
    let (undone, change) = try changes.undo()
    #expect(undone.action == .trash && change.moves.map(\.to) == [scratch.path("day/a.wav")])
    #expect(states == [.whole, .whole])
    #expect(throws: TakeChangeError.self) { _ = try self.changes.undo() }
    for _ in 0..<2 { _ = try changes.redo() }
    #expect(states == [.trashed, .trashed])
    for _ in 0..<2 { _ = try changes.undo() }
    #expect(states == [.whole, .whole])
  }

  @Test("stays the same if the journal is shortened")
  func shortened() throws {
    try undoPartly()
    let log = store.catalogue.changeLog
    let short = ChangeLog(log.shortened)
    #expect(short.undoable.map(\.moves) == log.undoable.map(\.moves))
    #expect(short.redoable.map(\.moves) == log.redoable.map(\.moves))
    #expect(short.movedPaths == log.movedPaths)
  }
}
