import Audio
import Control
import Foundation
import Linux
import Support
import Synchronization
import Testing

@testable import Store

@Suite("The index of takes")
final class TakeIndexTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    for number in 0..<50 where number % 4 != 2 { try scratch.write("take", to: "ü\(number).wav") }
  }

  private func take(_ number: Int) -> RecordingResult {
    var facts = TakeFacts(
      identifier: "id\(number)", name: "name\(number % 7)", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.path = number % 5 == 0 ? nil : scratch.path("ü\(number % 50).wav")
    facts.bytes = Int64(number)
    facts.marks = number % 3
    if number % 6 == 0 {
      facts.tracks = [Track(name: "t\(number)", device: "a\nb", channels: 0..<2)]
    }
    facts.frames.captured = FrameCount(48 * number)
    if number % 4 == 0 { facts.segment = number }
    return RecordingResult(
      facts, reason: number % 2 == 0 ? .stopped : .split, exit: Int32(number % 3),
      began: .seconds(1_000 + number))
  }

  private var catalogue: String { scratch.path("state/takes.jsonl") }
  private var index: String { scratch.path("state/takes.index") }

  /// The expected list, from the catalogue alone.
  private var expected: [ListedTake] {
    ListedTake.list(store.catalogue.takes.map { ($0, nil) })
  }

  /// Returns the list without the positions of its lines, which the expected list does not have,
  /// and without the numbers, which only a list has.
  private func bare(_ takes: [ListedTake]) -> [String] {
    takes.map { take in
      let row = take.row
      return "\(row.identifier) \(row.name) \(row.segment ?? -1) \(row.began) "
        + "\(row.duration) \(row.bytes) \(row.marks) \(row.exit) \(row.reason) \(row.isStream) "
        + "\(row.path ?? "-") \(row.sidecar ?? "-") \(take.path ?? "-") \(take.state) \(row.tracks)"
    }
  }

  private func expectTruth(_ when: String) throws {
    let expected = expected
    let (found, meant) = (bare(store.catalogue.listedTakes), bare(expected))
    let differing = zip(found, meant).first { $0 != $1 }
    #expect(found.count == meant.count && differing == nil, "\(when): \(differing as Any)")
    let numbered = expected.reversed().filter(\.exists)
    for number in Set([1, 2, 40, numbered.count, numbered.count + 1]) where number > 0 {
      let reference = try #require(TakeReference("@\(number)"))
      switch store.catalogue.find(reference) {
      case .take(let take):
        #expect(take.number == number && bare([take]) == bare([numbered[number - 1]]), "\(when)")
      case .none(let count): #expect(count == numbered.count && number > count, "\(when)")
      case .recording: Issue.record("nothing records")
      }
    }
    for path in ["ü3.wav", "ü49.wav", "none.wav"].map({ scratch.path($0) }) {
      let meant = expected.last { $0.path == path }
      #expect(
        store.catalogue.take(at: path).map { bare([$0]) } == meant.map { bare([$0]) },
        "\(when): \(path)")
    }
    for name in ["name3", "id0", "id77", "nobody"] {
      let named = expected.filter { $0.name == name || $0.identifier == name }
      let meant = named.last(where: \.exists) ?? named.last
      let found = store.catalogue.find(try #require(TakeReference("@" + name)))
      if case .take(let take) = found {
        #expect(meant.map { bare([take]) == bare([$0]) } == true, "\(when): \(name)")
      } else {
        #expect(meant == nil && found == .none(of: numbered.count), "\(when): \(name)")
      }
    }
  }

  @Test(
    "agrees with the list after any damage to either of them",
    arguments: isThorough ? Array((0..<1_000).shuffled().prefix(6)) : [17])
  func agrees(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for number in 0..<100 { try store.catalogue.add(take(number)) }
    try expectTruth("at first")
    for round in 0..<(isThorough ? 30 : 20) {
      let accident = Int.random(in: 0..<11, using: &random)
      try befall(accident, round, &random)
      try expectTruth("after accident \(accident) in round \(round)")
    }
  }

  @Test("never gives an older take or none if a byte of the newest row has changed")
  func changedByte() throws {
    for number in 0..<30 { try store.catalogue.add(take(number)) }
    _ = store.catalogue.listedTakes
    let whole = try #require(FileManager.default.contents(atPath: index))
    for name in ["name1", "name0"] {
      let text = Data(name.utf8)
      let place = try #require(whole.range(of: text, options: .backwards))
      for byte in place {
        for bit in 0..<8 {
          var damaged = whole
          damaged[byte] ^= 1 << bit
          try damaged.write(to: URL(filePath: index))
          let newest = store.catalogue.takes.last { $0.name == name }?.identifier
          guard case .take(let take) = store.catalogue.find(try #require(TakeReference("@" + name)))
          else {
            Issue.record("\(name) is not found")
            continue
          }
          #expect(take.identifier == newest, "bit \(bit) of byte \(byte)")
          let path = try #require(store.catalogue.takes.last?.path)
          #expect(
            store.catalogue.take(at: path)?.identifier == store.catalogue.takes.last?.identifier)
        }
      }
    }
  }

  private func befall(_ accident: Int, _ round: Int, _ random: inout SeededGenerator) throws {
    var lines = [UInt8](try Data(contentsOf: URL(filePath: catalogue)))
    switch accident {
    case 0: break
    case 1, 2:
      for number in 0..<accident * 3 { try store.catalogue.add(take(1_000 + round * 10 + number)) }
    case 3:
      let file = try Descriptor(opening: catalogue, [.writeOnly, .append])
      try file.writeAll(Array("{\"id\":\"cut".utf8).span)
    case 4:
      // A name is overwritten in place, so that no length changes.
      let names = lines.indices.dropLast(8).filter { lines[$0...].starts(with: "\"name5\"".utf8) }
      guard let place = names.randomElement(using: &random) else { return }
      let file = try Descriptor(opening: catalogue, [.writeOnly])
      try file.writeAll(Array("\"name6\"".utf8).span.bytes, at: Int64(place))
    case 5, 6:
      // A line is removed, in the file itself or in another file that replaces it.
      let parts = lines.split(separator: UInt8(ascii: "\n"))
      let gone = Int.random(in: parts.indices, using: &random)
      let kept = parts.indices.filter { $0 != gone }.map { parts[$0] }
      lines = Array(kept.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
      try Data(lines).write(to: URL(filePath: catalogue), options: accident == 5 ? [] : .atomic)
    case 7: try? FileManager.default.removeItem(atPath: index)
    case 8:
      guard var bytes = FileManager.default.contents(atPath: index), !bytes.isEmpty else { return }
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0x10
      try bytes.write(to: URL(filePath: index))
    case 9:
      guard let bytes = FileManager.default.contents(atPath: index) else { return }
      try bytes.prefix(Int.random(in: 0...bytes.count, using: &random)).write(
        to: URL(filePath: index))
    default:
      // The index cannot be written.
      try? FileManager.default.removeItem(atPath: index)
      try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: false)
      try expectTruth("with a directory in place of the index")
      try FileManager.default.removeItem(atPath: index)
    }
  }

  @Test("is read while others extend and remove it")
  func atOnce() throws {
    for number in 0..<50 { try store.catalogue.add(take(number)) }
    let (index, store) = (index, store)
    let isOver = Atomic(false)
    let failures = Mutex<[String]>([])
    let threads = DispatchGroup()
    for reader in 0..<4 {
      DispatchQueue.global().async(group: threads) {
        var last = 50
        while !isOver.load(ordering: .relaxed) {
          let takes = store.catalogue.listedTakes
          let identifiers = takes.map(\.identifier)
          if identifiers != (0..<takes.count).map({ "id\($0)" }) || takes.count < last {
            failures.withLock { $0.append("\(identifiers.count) after \(last)") }
          }
          last = takes.count
          if reader == 3 { try? FileManager.default.removeItem(atPath: index) }
        }
      }
    }
    for number in 50..<250 { try store.catalogue.add(take(number)) }
    isOver.store(true, ordering: .relaxed)
    threads.wait()
    #expect(failures.withLock { $0 } == [])
    try expectTruth("at the end")
  }

  @Test("is read in blocks, even if a row is larger than a block")
  func longRows() throws {
    for number in 0..<40 {
      var take = self.take(number)
      take.facts.path = "/" + String(repeating: "x", count: number % 9 == 0 ? 300_000 : 9_000)
      take.series = nil
      try store.catalogue.add(take)
    }
    try expectTruth("with long paths")
    try expectTruth("read from the index")
  }
}
