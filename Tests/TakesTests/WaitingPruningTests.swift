import Audio
import Control
import Linux
import Store
import Support
import Testing

@testable import Takes

@Suite("Retention of files that wait for a delivery")
final class WaitingPruningTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore
  private let plan: OutputPlan
  private let series: String

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    var plan = OutputPlan(path: scratch.path("log.wav"), format: .wav)
    plan.keep = .count(1)
    self.plan = plan
    series = plan.series ?? ""
  }

  /// Records a file of the series. It waits for its delivery.
  private func record(_ identifier: String, to name: String) throws {
    var facts = TakeFacts(
      identifier: identifier, name: "log", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    let path = try scratch.write("recorded", to: name)
    (facts.path, facts.bytes) = (path, 8)
    var result = RecordingResult(
      facts, reason: .stopped, exit: 0, began: KernelClock.realTime.now)
    result.series = series
    result.delivery = DeliveryPlan(program: "/bin/true", series: series)
    let status = try FileStatus(of: path)
    try store.announcements.add(TakeAnnouncement(result, in: path + ".part", status), status)
    try store.catalogue.add(result)
    try store.savedFiles.remember(SavedFile(result, path: path, status, digest: nil))
  }

  private var waiting: [String] {
    get throws { try store.spool(of: series).queue().waiting.map(\.result.identifier) }
  }

  private var sounds: [String] {
    get throws { try scratch.names().filter { $0.hasSuffix(".wav") } }
  }

  /// Records four files. The second one is renamed, and the third one gets its name.
  private func recordAll() throws {
    try record("0", to: "first.wav")
    try record("1", to: "a.wav")
    let take = try #require(store.catalogue.listedTakes.last)
    _ = try TakeChanges(store, trash: scratch.path("Trash")).rename(take, to: "b")
    try record("2", to: "a.wav")
    try record("3", to: "last.wav")
    #expect(try waiting == ["0", "1", "2", "3"])
  }

  @Test("deletes only the file that now has the name of a renamed file, and only its entry")
  func renamed() throws {
    try recordAll()
    let pruning = try #require(SeriesPruning(plan, store))
    #expect(pruning.makeRoom(of: 1) == 1)
    #expect(try waiting == ["0", "1", "3"])
    #expect(try sounds == ["b.wav", "first.wav", "last.wav"])
  }

  @Test("keeps the entry of a renamed file if the later file of its name was delivered")
  func delivered() throws {
    try recordAll()
    let spool = store.spool(of: series)
    try spool.remove([spool.queue().waiting[2]]) { $0.delivered += 1 }
    let pruning = try #require(SeriesPruning(plan, store))
    #expect(pruning.makeRoom(of: 1) == 0)
    #expect(try waiting == ["0", "1", "3"])
    #expect(try sounds == ["a.wav", "b.wav", "first.wav", "last.wav"])
  }
}
