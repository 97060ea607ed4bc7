import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Store

@Suite("The queue of deliveries")
final class DeliveryQueueTests {
  private let scratch: ScratchDirectory
  private let store: SessionStore

  init() throws {
    scratch = try ScratchDirectory()
    store = SessionStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
  }

  private func result(_ number: Int, of series: String?) -> RecordingResult {
    var facts = TakeFacts(
      identifier: "id", name: "log", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.segment = number
    facts.path = "/log/\(number).wav"
    var result = RecordingResult(
      facts, reason: .split, exit: 0, began: .seconds(1_000 + number))
    result.delivery = series.map { DeliveryPlan(program: "/bin/true", series: $0) }
    return result
  }

  private func end(_ kind: DeliveryOutcome.Kind, _ number: Int, of series: String) throws {
    try store.note(try #require(DeliveryOutcome(kind, result(number, of: series))))
  }

  private func waiting(_ series: String) throws -> [Int] {
    try store.deliveries(of: series).waiting.compactMap(\.segment)
  }

  @Test("is what is listed with a delivery, in its order, and has no outcome")
  func listed() throws {
    #expect(try store.deliveries().isEmpty)
    try store.prepareDeliveries(of: "a")
    try store.prepareDeliveries(of: "b")
    for number in 1...6 {
      try store.catalogue(result(number, of: number % 3 == 0 ? nil : number % 2 == 0 ? "b" : "a"))
    }
    #expect(try waiting("a") == [1, 5] && waiting("b") == [2, 4] && waiting("c") == [])
    try end(.delivered, 1, of: "a")
    try end(.deleted, 4, of: "b")
    #expect(try waiting("a") == [5] && waiting("b") == [2])
    #expect(try store.deliveries().map(\.lane.series).sorted() == ["a", "b"])
  }

  @Test("is the same wherever reading begins, after any outcomes")
  func advanced() throws {
    var random = SeededGenerator(seed: 7)
    for series in ["a", "b"] { try store.prepareDeliveries(of: series) }
    var expected: [String: [Int]] = ["a": [], "b": []]
    for number in 1...300 {
      let series = Bool.random(using: &random) ? "a" : "b"
      try store.catalogue(result(number, of: series))
      expected[series, default: []].append(number)
      for series in ["a", "b"] where Int.random(in: 0..<3, using: &random) > 0 {
        let queue = try store.deliveries(of: series)
        #expect(queue.waiting.compactMap(\.segment) == expected[series], "\(number)")
        if let place = expected[series]?.indices.randomElement(using: &random) {
          let gone = expected[series]?.remove(at: Bool.random(using: &random) ? place : 0)
          try end(.delivered, try #require(gone), of: series)
        }
        if Bool.random(using: &random) {
          try store.advance(try store.deliveries(of: series))
        }
      }
    }
    let lane = try store.deliveries(of: "a").lane
    #expect(lane.firstListed > 0 && lane.firstTold > 0)
  }

  @Test("survives a state that was damaged, and a list that was made anew")
  func damaged() throws {
    try store.prepareDeliveries(of: "a")
    for number in 1...3 { try store.catalogue(result(number, of: "a")) }
    try end(.delivered, 1, of: "a")
    try store.advance(try store.deliveries(of: "a"))
    let directory = scratch.path("state/deliveries")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: directory).first {
        $0.hasSuffix(".json")
      })
    for content in ["", "{", "{\"series\":\"other\"}"] {
      try Data(content.utf8).write(to: URL(filePath: directory + "/" + name))
      #expect(try waiting("a") == [2, 3], "\(content)")
      #expect(try store.deliveries().map(\.lane.series) == ["a"], "\(content)")
    }
    try store.advance(try store.deliveries(of: "a"))
    try FileManager.default.removeItem(atPath: scratch.path("state/takes.jsonl"))
    #expect(try waiting("a") == [])
    try store.catalogue(result(4, of: "a"))
    #expect(try waiting("a") == [4])
  }

  @Test("cannot be read from a directory that cannot be listed, and says so")
  func unreadable() throws {
    try store.prepareDeliveries(of: "a")
    try FileManager.default.removeItem(atPath: scratch.path("state/deliveries"))
    try Data().write(to: URL(filePath: scratch.path("state/deliveries")))
    #expect(throws: DirectoryRefusal.self) { try store.deliveries() }
    #expect(throws: DirectoryRefusal.self) { try store.deliveries(of: "a") }
  }

  @Test("has a file whose session died before it was listed, once its disk is there")
  func announced() throws {
    let directory = scratch.path("disk")
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    var announced = result(1, of: "a")
    announced.path = try scratch.write("0123456789", to: "disk/1.wav")
    announced.bytes = 10
    let status = try FileStatus(of: directory + "/1.wav")
    try store.announce(TakeAnnouncement(announced, in: directory + "/.1.wav.part", status))
    let away = scratch.path("away")
    try FileManager.default.moveItem(atPath: directory, toPath: away)
    store.settle()
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    store.settle()
    #expect(try waiting("a") == [])
    try FileManager.default.removeItem(atPath: directory)
    try FileManager.default.moveItem(atPath: away, toPath: directory)
    // The list cannot be written, as on a full disk.
    let list = scratch.path("state/takes.jsonl")
    try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: true)
    store.settle()
    try FileManager.default.removeItem(atPath: list)
    store.settle()
    #expect(try waiting("a") == [1])
  }
}
