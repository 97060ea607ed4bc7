import Audio
import Control
import Linux
import Store
import Support
import Testing

@testable import Takes

@Suite("Retention of takes with a file for each track")
final class SeriesPruningTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore
  private let plan: OutputPlan

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    var plan = OutputPlan(path: scratch.path("call.wav"), format: .wav)
    plan.keep = .count(1)
    self.plan = plan
  }

  /// Writes the two files of a take, and stores their facts.
  private func take(_ name: String) throws -> RecordingResult {
    var facts = TakeFacts(
      identifier: name, name: "call", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.tracks = try ["mic", "far"].map { track in
      var recorded = Track(name: track, device: "test:ramp")
      let file = try scratch.write("recorded", to: "\(name)-\(track).wav")
      (recorded.file, recorded.bytes) = (file, 8)
      return recorded
    }
    (facts.path, facts.bytes) = (facts.tracks.files.first, 16)
    var result = RecordingResult(
      facts, reason: .stopped, exit: 0, began: KernelClock.realTime.now)
    result.series = plan.series
    for file in result.files {
      try store.savedFiles.remember(
        SavedFile(result, path: file, FileStatus(of: file), digest: nil))
    }
    return result
  }

  private var sounds: [String] {
    get throws { try scratch.names().filter { $0.hasSuffix(".wav") } }
  }

  @Test("deletes no file if one was edited, and reports that once", arguments: ["mic", "far"])
  func edited(track: String) throws {
    try store.catalogue.add(take("a"))
    let latest = try take("b")
    let edited = try scratch.write("edited", to: "a-\(track).wav")
    // A deletion is noted in the journal only if there is something to undo.
    let changes = TakeChanges(store, trash: scratch.path("Trash"))
    _ = try changes.rename(store.catalogue.listedTakes[0], to: nil, title: "call")
    let pruning = try #require(SeriesPruning(plan, store))
    let deletions = try pruning.run(latest: latest)
    #expect(deletions.changed == [edited] && deletions.deleted.isEmpty)
    #expect(try sounds == ["a-far.wav", "a-mic.wav", "b-far.wav", "b-mic.wav"])
    #expect(store.savedFiles.all.count == 4)
    #expect(try pruning.run(latest: latest).changed.isEmpty)
    #expect(try changes.undo().undone.action == .rename)
  }

  @Test("deletes the files of all tracks, also if one is missing", arguments: [false, true])
  func deleted(isMissing: Bool) throws {
    try store.catalogue.add(take("a"))
    if isMissing { try Directory(scratch.path).remove("a-far.wav") }
    let deletions = try #require(SeriesPruning(plan, store)).run(latest: take("b"))
    #expect(deletions.changed.isEmpty && deletions.deleted.map(\.identifier) == ["a"])
    #expect(try sounds == ["b-far.wav", "b-mic.wav"])
    #expect(store.savedFiles.all.count == 2)
  }

  @Test("keeps a file that the catalogue does not have yet, at the path of an older file")
  func unlisted() throws {
    let older = try take("a")
    try store.catalogue.add(older)
    for file in older.files { try Directory(scratch.path).remove(file.pathParts.name) }
    // The newer segment of the same take has the paths of the older one.
    var newer = try take("a")
    newer.segment = 2
    for file in newer.files {
      try store.savedFiles.remember(
        SavedFile(newer, path: file, FileStatus(of: file), digest: nil))
    }
    #expect(!store.catalogue.contains(newer))
    let deletions = try #require(SeriesPruning(plan, store)).run(latest: take("b"))
    #expect(deletions.changed.isEmpty && deletions.deleted.isEmpty)
    #expect(try sounds == ["a-far.wav", "a-mic.wav", "b-far.wav", "b-mic.wav"])
  }
}
