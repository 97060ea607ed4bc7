import Audio
import Control
import Linux
import Support
import Testing

@testable import Store

@Suite("New names with many bytes")
final class LongNameTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore
  private let changes: TakeChanges

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    changes = TakeChanges(store, trash: scratch.path("Trash"))
  }

  /// Records a file, and a sidecar if `hasSidecar` is true.
  private func record(hasSidecar: Bool) throws -> ListedTake {
    var facts = TakeFacts(
      identifier: "id", name: "talk", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.bytes = 10
    facts.path = try scratch.write("0123456789", to: "talk.wav")
    var result = RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000))
    if hasSidecar { result.sidecar = try scratch.write("{}", to: "talk.wav.json") }
    try store.catalogue.add(result)
    return try #require(store.catalogue.listedTakes.first)
  }

  @Test("are refused before a file is moved if they are too long for the sidecar")
  func sidecar() throws {
    let take = try record(hasSidecar: true)
    #expect(throws: TakeChangeError.self) {
      _ = try self.changes.rename(take, to: String(repeating: "x", count: 251))
    }
    #expect(try scratch.names() == ["state", "talk.wav", "talk.wav.json"])
  }

  @Test("are allowed for a file without a sidecar")
  func alone() throws {
    let take = try record(hasSidecar: false)
    let name = String(repeating: "x", count: 251)
    _ = try changes.rename(take, to: name)
    #expect(try scratch.names() == ["state", name + ".wav"])
  }
}
