import Audio
import Control
import Foundation
import JSON
import Linux
import Support
import Testing

@testable import Store

@Suite("The spool of deliveries")
final class DeliverySpoolTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    try FileManager.default.createDirectory(
      atPath: scratch.path("disk"), withIntermediateDirectories: false)
  }

  private func result(_ number: Int, of series: String?, take: String = "id") -> RecordingResult {
    var facts = TakeFacts(
      identifier: take, name: "log", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.segment = number
    facts.path = scratch.path("disk/\(number).wav")
    facts.bytes = 10
    facts.gaps = [Gap(position: 1, length: 2, cause: .overrun)]
    var result = RecordingResult(
      facts, reason: .split, exit: 0, began: .seconds(1_000 + number))
    result.delivery = series.map { DeliveryPlan(program: "/bin/true", series: $0) }
    return result
  }

  private func part(_ number: Int) -> String { scratch.path("disk/.\(number).wav.part") }

  /// Creates the part of a file and announces the file.
  private func announce(_ result: RecordingResult) throws {
    let number = result.segment ?? 1
    _ = try scratch.write("0123456789", to: "disk/.\(number).wav.part")
    let status = try FileStatus(of: part(number))
    try store.announcements.add(TakeAnnouncement(result, in: part(number), status), status)
  }

  /// Gives an announced file its name.
  private func rename(_ number: Int, from name: String? = nil, to path: String? = nil) throws {
    try FileManager.default.moveItem(
      atPath: name.map { scratch.path($0) } ?? part(number),
      toPath: path ?? scratch.path("disk/\(number).wav"))
  }

  /// Announces, names and lists a file.
  private func record(_ number: Int, of series: String?) throws {
    let result = result(number, of: series)
    try announce(result)
    try rename(number)
    try store.catalogue.add(result)
  }

  private func waiting(_ series: String) throws -> [Int] {
    try store.spool(of: series).queue().waiting.compactMap(\.result.segment)
  }

  private func entries(_ series: String = "a") throws -> [String] {
    let directory = scratch.path("state/deliveries/")
    return try FileManager.default.subpathsOfDirectory(atPath: directory).filter {
      $0.hasSuffix(".json") && !$0.hasSuffix("state.json")
    }.sorted().map { directory + $0 }
  }

  @Test("holds the files of each series in the order of their entries")
  func order() throws {
    #expect(try store.deliveries().isEmpty)
    try store.spool(of: "idle").prepare()
    for number in [1, 9, 3, 10, 2] {
      try record(number, of: number == 3 ? nil : number % 2 == 0 ? "b" : "a")
    }
    #expect(try waiting("a") == [1, 9] && waiting("b") == [10, 2] && waiting("c") == [])
    #expect(Set(try store.deliveries().map(\.state.series)) == ["a", "b", "idle"])
    let spool = store.spool(of: "b")
    try spool.remove([try #require(spool.queue().waiting.first)]) { $0.delivered += 1 }
    #expect(try waiting("b") == [2])
    try record(12, of: "b")
    #expect(try waiting("b") == [2, 12])
    #expect(try spool.queue().state.delivered == 1)
  }

  @Test("delivers no file before it is listed, and then under its final name")
  func announced() throws {
    var named = result(1, of: "a")
    try announce(named)
    #expect(try waiting("a") == [])
    #expect(try store.spool(of: "a").queue().announced.count == 1)
    named.path = scratch.path("disk/1-002.wav")
    named.sidecar = "/log/1-002.wav.json"
    try rename(1, to: named.path)
    try store.catalogue.add(named)
    let file = try #require(try store.spool(of: "a").queue().waiting.first)
    #expect(file.result.path == named.path && file.result.sidecar == named.sidecar)
    let status = try FileStatus(of: named.path ?? "")
    #expect(file.result.gaps.isEmpty && file.isUntouched(status))
    #expect(try store.spool(of: "a").queue().announced.isEmpty)
  }

  @Test("has one entry for a file that is announced twice")
  func once() throws {
    for number in 1...3 { try record(number, of: "a") }
    var recovered = result(4, of: "a")
    try announce(recovered)
    try record(5, of: "a")
    recovered.path = scratch.path("disk/4-recovered.wav")
    let status = try FileStatus(of: part(4))
    for _ in 0..<2 {
      try store.announcements.add(TakeAnnouncement(recovered, in: part(4), status), status)
    }
    try rename(4, to: recovered.path)
    try store.catalogue.add(recovered)
    #expect(try waiting("a") == [1, 2, 3, 4, 5])
    #expect(try store.spool(of: "a").queue().waiting[3].result.path == recovered.path)
  }

  @Test("keeps the entry of another file with the same number in its take")
  func sameNumber() throws {
    try record(1, of: "a")
    // A power cut has removed the record that identifies this file within the take.
    var other = result(1, of: "a")
    other.path = scratch.path("disk/2-recovered.wav")
    _ = try scratch.write("0123456789", to: "disk/.2.wav.part")
    let status = try FileStatus(of: part(2))
    try store.announcements.add(TakeAnnouncement(other, in: part(2), status), status)
    try rename(2, to: other.path)
    try store.catalogue.add(other)
    let paths = try store.spool(of: "a").queue().waiting.map(\.result.path)
    #expect(paths == [scratch.path("disk/1.wav"), other.path])
  }

  @Test("does not set a file aside that got another name since it was read")
  func renamed() throws {
    try record(1, of: "a")
    let spool = store.spool(of: "a")
    let read = try #require(spool.queue().waiting.first)
    var recovered = result(1, of: "a")
    recovered.path = scratch.path("disk/1-recovered.wav")
    try rename(1, from: "disk/1.wav", to: recovered.path)
    try store.catalogue.add(recovered)
    try spool.setAside(read)
    #expect(try spool.queue().waiting.map(\.result.path) == [recovered.path])
  }

  @Test("counts failures, and sets missing files aside")
  func states() throws {
    for number in 1...2 { try record(number, of: "a") }
    let spool = store.spool(of: "a")
    for _ in 0..<2 { try spool.change { $0.fail("down") } }
    var queue = try spool.queue()
    #expect(queue.state.failures == 2 && queue.state.error == "down" && !queue.isIdle)
    try spool.setAside(queue.waiting[0])
    queue = try spool.queue()
    #expect(queue.state.failures == 0 && queue.state.error == nil)
    #expect(queue.missing.map(\.result.segment) == [1])
    #expect(queue.waiting.map(\.result.segment) == [2] && queue.files.count == 2)
    // Retention or a user has removed it meanwhile.
    try spool.remove(queue.files) { $0.deleted += 2 }
    try spool.setAside(queue.missing[0])
    queue = try spool.queue()
    #expect(queue.isIdle && queue.state.deleted == 2)
  }

  @Test("tolerates a damaged state, a damaged entry and foreign files")
  func damaged() throws {
    for number in 1...3 { try record(number, of: "a") }
    let entry = try #require(try entries().dropFirst().first)
    let directory = URL(filePath: entry).deletingLastPathComponent().path
    for content in ["", "{", "{\"series\":\"other\"}", "{\"result\":1}"] {
      for path in [directory + "/state.json", entry] {
        try Data(content.utf8).write(to: URL(filePath: path))
      }
      #expect(try waiting("a") == [1, 2, 3], "\(content)")
    }
    try FileManager.default.removeItem(atPath: directory + "/state.json")
    for name in ["9999999999.other.1.json", "notes", ".0000000009.id.9.json.tmp"] {
      try Data("{}".utf8).write(to: URL(filePath: directory + "/" + name))
    }
    try Data().write(to: URL(filePath: scratch.path("state/deliveries/deliveries.log")))
    try record(4, of: "a")
    #expect(try waiting("a") == [1, 2, 3, 4])
    #expect(try store.deliveries().map(\.state.series) == ["a"])
  }

  @Test("cannot be read from a directory that cannot be listed, and reports this")
  func unreadable() throws {
    try store.spool(of: "a").prepare()
    try FileManager.default.removeItem(atPath: scratch.path("state/deliveries"))
    try Data().write(to: URL(filePath: scratch.path("state/deliveries")))
    #expect(throws: DirectoryRefusal.self) { try store.deliveries() }
    #expect(throws: DirectoryRefusal.self) { try store.spool(of: "a").queue() }
    #expect(throws: DirectoryRefusal.self) { try announce(result(1, of: "a")) }
  }

  @Test("cannot be read while an entry cannot be read, so that retention keeps its file")
  func unreadableEntry() throws {
    try record(1, of: "a")
    let entry = try #require(try entries().first)
    try FileManager.default.removeItem(atPath: entry)
    try FileManager.default.createDirectory(atPath: entry, withIntermediateDirectories: false)
    #expect(throws: DirectoryRefusal.self) { try store.spool(of: "a").queue() }
  }

  @Test("has a file whose session died before it was listed, once its disk is available")
  func unlisted() throws {
    try announce(result(1, of: "a"))
    try rename(1)
    let (disk, away) = (scratch.path("disk"), scratch.path("away"))
    try FileManager.default.moveItem(atPath: disk, toPath: away)
    store.announcements.addTakes()
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    store.announcements.addTakes()
    #expect(try waiting("a") == [])
    try FileManager.default.removeItem(atPath: disk)
    try FileManager.default.moveItem(atPath: away, toPath: disk)
    // The list cannot be written, as on a full disk.
    let list = scratch.path("state/takes.jsonl")
    try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: true)
    store.announcements.addTakes()
    #expect(try waiting("a") == [])
    try FileManager.default.removeItem(atPath: list)
    store.announcements.addTakes()
    #expect(try waiting("a") == [1])
  }

  @Test("delivers a listed file whose sidecar could not be written yet")
  func awaitedSidecar() throws {
    var result = result(1, of: "a")
    _ = try scratch.write("0123456789", to: "disk/.1.wav.part")
    _ = try scratch.write("{}\n", to: "disk/.1.wav.part.jsonl")
    let status = try FileStatus(of: part(1))
    let sidecar: JSONObject = ["id": "id"]
    try store.announcements.add(
      TakeAnnouncement(result, in: part(1), status, sidecar: sidecar), status)
    try rename(1)
    result.message = "No space left on device"
    try store.catalogue.add(result)
    #expect(try waiting("a") == [1])
    // The session has no record, so it counts as dead.
    store.announcements.addTakes()
    let files = try store.spool(of: "a").queue().waiting
    #expect(files.map(\.result.sidecar) == [scratch.path("disk/1.wav.json")])
    #expect(store.catalogue.takes.map(\.sidecar) == [scratch.path("disk/1.wav.json")])
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("disk"))
    #expect(names.sorted() == ["1.wav", "1.wav.json"])
  }

  @Test("has one line in the list if it is renamed while its sidecar is still missing")
  func renamedBeforeSidecar() throws {
    let result = result(1, of: nil)
    _ = try scratch.write("0123456789", to: "disk/.1.wav.part")
    let status = try FileStatus(of: part(1))
    try store.announcements.add(
      TakeAnnouncement(result, in: part(1), status, sidecar: ["id": "id"]), status)
    try rename(1)
    try store.catalogue.add(result, awaiting: scratch.path("disk/1.wav.json"))
    try rename(1, from: "disk/1.wav", to: scratch.path("disk/2.wav"))
    store.announcements.addTakes()
    #expect(store.catalogue.takes.map(\.path) == [result.path])
    _ = try FileStatus(of: scratch.path("disk/2.wav.json"))
  }

  @Test("leaves a file to a later command while another command adds files to the list")
  func listedLater() throws {
    try announce(result(1, of: nil))
    try rename(1)
    let adding = try FileLock(
      on: Directory(scratch.path("state/ending")), waitingUpTo: .seconds(1))
    #expect(throws: DirectoryRefusal.self) {
      try store.announcements.addTake(result(1, of: nil), waitingUpTo: .milliseconds(50))
    }
    #expect(store.catalogue.takes.isEmpty)
    _ = consume adding
    store.announcements.addTakes()
    #expect(store.catalogue.takes.count == 1)
  }

  @Test("does not deliver a file of a dead session while the file has its temporary name")
  func unnamed() throws {
    try announce(result(1, of: "a"))
    store.announcements.addTakes()
    #expect(try waiting("a") == [] && store.catalogue.takes.isEmpty)
    // A recovery was killed after the rename and before the listing.
    try rename(1)
    store.announcements.addTakes()
    #expect(try waiting("a") == [1] && store.catalogue.takes.count == 1)
  }
}
