import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Store

@Suite("The paths of files that wait for a delivery")
final class WaitingPathsTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
  }

  /// Records a file that waits for its delivery.
  private func record(_ name: String) throws {
    var facts = TakeFacts(
      identifier: "id\(store.catalogue.takes.count)", name: "log", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.path = try scratch.write("0123456789", to: name)
    facts.bytes = 10
    var result = RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000))
    result.delivery = DeliveryPlan(program: "/bin/true", series: "a")
    let status = try FileStatus(of: scratch.path(name))
    let part = scratch.path("." + name + ".part")
    try store.announcements.add(TakeAnnouncement(result, in: part, status), status)
    try store.catalogue.add(result)
  }

  private func move(_ old: String, _ new: String) throws {
    try FileManager.default.moveItem(atPath: scratch.path(old), toPath: scratch.path(new))
  }

  /// The paths of the waiting files, in the order of their delivery.
  private var paths: [String?] {
    get throws {
      let paths = WaitingPaths(in: store)
      return try store.spool(of: "a").queue().waiting.map { paths.path(of: $0) }
    }
  }

  @Test("are not those of the files of other takes, if another program exchanged two files")
  func exchanged() throws {
    for name in ["a.wav", "b.wav"] { try record(name) }
    let (first, second) = (scratch.path("a.wav"), scratch.path("b.wav"))
    #expect(try paths == [first, second])
    for (old, new) in [("a.wav", "c"), ("b.wav", "a.wav"), ("c", "b.wav")] { try move(old, new) }
    #expect(try paths == [nil, nil])
    let search = MoveSearch(in: scratch.path, within: .seconds(60)) { _ in }
    _ = store.catalogue.listedTakes(search)
    #expect(try paths == [second, first])
  }

  @Test("are not those of earlier takes whose files were renamed to them")
  func renamedBack() throws {
    let changes = TakeChanges(store, trash: scratch.path("Trash"))
    try record("a.wav")
    _ = try changes.rename(try #require(store.catalogue.listedTakes.first), to: "b")
    try record("a.wav")
    try move("a.wav", "gone")
    _ = try changes.undo()
    #expect(try paths == [scratch.path("a.wav"), nil])
  }

  @Test("stay the same if the file was edited, or replaced by an edited copy")
  func edited() throws {
    try record("a.wav")
    let path = try scratch.write("edited", to: "a.wav")
    #expect(try paths == [path])
    try scratch.write("copied", to: "copy")
    try Directory(scratch.path).rename("copy", to: "a.wav")
    #expect(try paths == [path])
    try Directory(scratch.path).remove("a.wav")
    #expect(try paths == [nil])
  }
}
