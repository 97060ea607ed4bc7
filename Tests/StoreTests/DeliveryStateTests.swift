import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Store

@Suite("The state of a series of deliveries")
struct DeliveryStateTests {
  @Test("keeps no delivered file in the queue if it cannot be written, as on a full disk")
  func unwritable() throws {
    let scratch = try ScratchDirectory()
    let store = MachineStore(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    var facts = TakeFacts(
      identifier: "id", name: "log", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    let path = try scratch.write("0123456789", to: "a.wav")
    facts.path = path
    var result = RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000))
    result.delivery = DeliveryPlan(program: "/bin/true", series: "a")
    let status = try FileStatus(of: path)
    try store.announcements.add(TakeAnnouncement(result, in: path + ".part", status), status)
    try store.catalogue.add(result)
    // No file can replace a directory.
    let deliveries = scratch.path("state/deliveries/")
    let key = try #require(FileManager.default.contentsOfDirectory(atPath: deliveries).first)
    try Directory(deliveries + key).makeDirectory("state.json")
    let spool = store.spool(of: "a")
    let files = try spool.queue().waiting
    #expect(files.count == 1)
    try spool.remove(files) { $0.delivered += 1 }
    #expect(try spool.queue().waiting.isEmpty)
    #expect(throws: DirectoryRefusal.self) { try spool.change { $0.delivered += 1 } }
  }
}
