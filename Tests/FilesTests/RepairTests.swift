import Audio
import Foundation
import Support
import Synchronization
import Testing

@testable import Files

@Suite("The recovery of a take")
struct RepairTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let small = [
    Kind(format: .flac, sample: .int16, channels: 1),
    Kind(format: .flac, sample: .int24Packed),
    Kind(format: .opus, sample: .int16, channels: 1, hertz: 24_000),
    Kind(format: .raw, sample: .int24Packed),
  ]

  @Test("A take cut at any byte near the end of a unit keeps every whole frame", arguments: small)
  func truncation(_ kind: Kind) throws {
    let take = try RepairTake(kind, frames: kind.format == .opus ? 12_000 : 3_000, in: scratch)
    let sizes = kind.format == .raw ? Array(0..<40) : Self.sizes(near: take)
    for size in sizes {
      try take.expectRecovery(of: Array(take.closed.prefix(size)), in: scratch, whole: size)
    }
    let kept = min(take.killed.count, take.closed.count)
    try take.expectRecovery(of: take.killed, in: scratch, whole: kept)
  }

  /// Returns every size within the headers, and those near each end.
  private static func sizes(near take: RepairTake) -> [Int] {
    let ends = take.units.map(\.end)
    let near = ends.flatMap { ($0 - 30)...($0 + 30) } + Array(0..<130)
    return Set(near).filter { (0...take.closed.count).contains($0) }.sorted()
  }

  static let large = [
    Kind(format: .flac, sample: .int16), Kind(format: .flac, sample: .int24Packed, channels: 3),
    Kind(format: .opus, sample: .int16),
  ]

  @Test("A take cut anywhere is recovered, also if its last page is empty", arguments: large)
  func pages(_ kind: Kind) throws {
    let take = try RepairTake(kind, frames: 20_000, noise: 900, in: scratch)
    var random = SeededGenerator(seed: 2)
    for round in 0..<(isThorough ? 200 : 60) {
      let size = Int.random(in: 1...take.killed.count, using: &random)
      var bytes = Array(take.killed.prefix(size))
      let page = (size - 1) / 4_096 * 4_096
      guard page > 0, !round.isMultiple(of: 2) else {
        try take.expectRecovery(of: bytes, in: scratch, whole: size)
        continue
      }
      bytes.replaceSubrange(page..., with: repeatElement(0, count: size - page))
      try take.expectRecovery(of: bytes, in: scratch, whole: page)
    }
  }

  @Test("Everything after the end is removed", arguments: small.dropLast() + large)
  func garbage(_ kind: Kind) throws {
    let take = try RepairTake(kind, frames: 30_000, noise: 900, in: scratch)
    var random = SeededGenerator(seed: 3)
    let unit = take.units[take.units.count - 3].end..<take.units[take.units.count - 2].end
    let tails = [
      [0], Array(repeating: 0, count: 4_096), [0xFF], [0xFF, 0xF8], Array("OggS".utf8),
      random.bytes(5_000), Array(take.closed.prefix(2_000)), Array(take.closed[unit]),
      Array(try RepairTake(kind, frames: 9_000, noise: 90, in: scratch).closed),
    ]
    for tail in tails {
      try take.expectRecovery(of: take.closed + tail, in: scratch, whole: take.closed.count)
      let whole = Array(take.closed.prefix(unit.lowerBound))
      if tail != Array(take.closed[unit]) {
        try take.expectRecovery(of: whole + tail, in: scratch, whole: whole.count)
      }
    }
  }

  static let long = [
    Kind(format: .flac, sample: .int16, channels: 1, hertz: 8_000),
    Kind(format: .opus, sample: .int16, channels: 1, hertz: 8_000),
  ]

  @Test(
    "Damage near the end, as by a crash, ends the file; earlier damage does not", arguments: long)
  func damage(_ kind: Kind) throws {
    let take = try RepairTake(kind, frames: 8_000 * 14, noise: 9, in: scratch)
    for (second, hasGap) in [(12, false), (2, true)] {
      let index = try #require(take.units.firstIndex { $0.frames > second * 8_000 })
      let before = take.units[index - 1]
      var bytes = take.closed
      bytes[(before.end + take.units[index].end) / 2] ^= 0x10
      let path = try scratch.write(bytes, to: "damaged")
      let recovery = try take.recover(path)
      #expect(recovery.hasGap == hasGap)
      #expect(recovery.frames == FrameCount(hasGap ? 8_000 * 14 : before.frames))
      #expect(try contents(of: path).count == (hasGap ? bytes.count : before.end))
      #expect(try take.recover(path).wasIntact)
    }
  }

  @Test("A file of another format is unchanged", arguments: FileFormat.allCases)
  func foreign(_ format: FileFormat) throws {
    guard format != .raw else { return }
    let kind = Kind(format: format == .flac ? .opus : .flac, sample: .int16)
    let bytes = try RepairTake(kind, frames: 5_000, in: scratch).closed
    for bytes in [bytes, Array("no sound".utf8), Array(repeating: 0, count: 5_000)] {
      let path = try scratch.write(bytes, to: "foreign")
      #expect(throws: SoundFileError.notRepairable(subject: path, .foreignHeader)) {
        try SoundFileRepair.recover(CheckedFile(openFile(path), named: path), as: format)
      }
      #expect(try contents(of: path) == bytes)
    }
  }

  @Test("A take that was killed immediately is empty", arguments: FileFormat.allCases)
  func nothing(_ format: FileFormat) throws {
    let kind = Kind(format: format, sample: .int16)
    let whole = try RepairTake(kind, frames: 10, in: scratch).killed
    for size in 0..<min(whole.count, format == .raw ? 4 : 42) {
      let path = try scratch.write(Array(whole.prefix(size)), to: "empty")
      let file = try CheckedFile(openFile(path), named: path)
      let recovery = try SoundFileRepair.recover(file, as: format, stream: kind.settings().stream)
      #expect(recovery.isEmpty)
      #expect(try contents(of: path).count == size)
    }
  }

  @Test("All changes are on the disk at the end, and the header changes last", arguments: small)
  func durability(_ kind: Kind) throws {
    let take = try RepairTake(kind, frames: 10_000, in: scratch)
    let path = try scratch.write(take.closed.dropLast(), to: "file")
    let names = kind.format == .raw ? ["cut", "sync"] : ["cut", "write", "sync"]
    #expect(try calls(recovering: path, kind) == names)
    #expect(try calls(recovering: path, kind) == [])
  }

  @Test("A killed WAV file is repaired, and the bytes after its last frame are removed")
  func wave() throws {
    let kind = Kind(format: .wav, sample: .int16)
    let take = try RepairTake(kind, frames: 1_000, in: scratch)
    let path = try scratch.write(take.killed + [1, 2, 3], to: "a.wav")
    let recovery = Recovery(frames: 1_000, removedBytes: 3)
    #expect(try take.recover(path) == Repaired(recovery: recovery, wasIntact: false))
    #expect(try take.recover(path).wasIntact)
  }

  private func calls(recovering path: String, _ kind: Kind) throws -> [String] {
    let names = Mutex<[String]>([])
    var calls = FileCalls()
    let (write, truncate) = (calls.write, calls.truncate)
    calls.write = { number, bytes, offset in
      names.withLock { $0.append("write") }
      return write(number, bytes, offset)
    }
    calls.truncate = { number, length in
      names.withLock { $0.append("cut") }
      return truncate(number, length)
    }
    calls.synchronize = { _ in
      names.withLock { $0.append("sync") }
      return 0
    }
    let file = try CheckedFile(openFile(path), named: path, through: calls)
    _ = try SoundFileRepair.recover(file, as: kind.format, stream: kind.settings().stream)
    return names.withLock { $0 }
  }
}
