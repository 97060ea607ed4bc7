import Audio
import Control
import JSON
import Linux
import Store
import Support
import Synchronization
import Testing

@testable import Files
@testable import Takes

@Suite("The reading of a part")
struct PartReadingTests {
  private static let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)
  private static let statement = FLACStatement(
    rate: .hz44100, channels: 2, bits: 24, frames: 1 << 35, shortest: 10, longest: 9_000,
    keepsDigest: false)
  private static let ending = OggEnding(
    page: 900, flags: 4, granule: 48_000, serial: .max, sequence: 7, checksum: 0xDEAD_BEEF)

  private static let answers: [PartReading] = [
    .plan(RepairPlan(stream, frames: 41, .wave(isIntact: true))),
    .plan(RepairPlan(stream, frames: 41, .raw)),
    .plan(RepairPlan(stream, frames: 41, .apple(.caf, isIntact: false))),
    .plan(RepairPlan(stream, frames: 41, .apple(.aiff, isIntact: true))),
    .plan(RepairPlan(stream, frames: 41, .flac(end: 5_000, statement), hasGap: true)),
    .plan(RepairPlan(stream, frames: 41, .flac(end: 5_000, nil))),
    .plan(RepairPlan(stream, frames: 41, .opus(end: 1_000, ending))),
    .plan(RepairPlan(stream, frames: 41, .opus(end: 1_000, nil))), .empty, .foreign,
    .failed(.inputOutput), .unread("a reason"), .unread(nil),
  ]

  @Test("is sent as numbers, and read back unchanged", arguments: answers)
  func line(_ answer: PartReading) {
    let line = JSONValue.object(answer.object).encoded()
    #expect(PartReading(line: Array(line.utf8)[...], upTo: 1 << 20) == answer)
  }

  @Test(
    "that is none counts for nothing",
    arguments: [
      "", "{", "[]", "{}", #"{"plan":{}}"#, #"{"plan":7}"#,
      #"{"plan":{"stream":{"rate":48000,"channels":2,"sample":"S16"},"frames":1,"gap":false,"#
        + #""work":{"format":"flac","end":99,"header":{"rate":1}}}}"#,
      #"{"plan":{"stream":{"rate":48000,"channels":2,"sample":"S16"},"frames":1e300,"gap":false,"#
        + #""work":{"format":"wav"}}}"#,
    ])
  func nonsense(_ line: String) {
    #expect(PartReading(line: Array(line.utf8)[...], upTo: 1 << 20) == .unread(nil))
  }

  /// A compromised reader that returns a given answer.
  private struct Liar: PartReader {
    let answer: PartReading
    let asked = Mutexed<[Int]>([])

    func read(_ parts: [UnreadPart]) throws -> [PartReading] {
      asked.value.withLock { $0.append(parts.count) }
      return parts.map { _ in answer }
    }
  }

  private final class Mutexed<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }

  private static let lies: [RepairPlan] = [
    RepairPlan(stream, frames: .most, .wave(isIntact: false)),
    RepairPlan(stream, frames: -1, .wave(isIntact: false)),
    RepairPlan(stream, frames: FrameCount(Int64(1) << 51), .raw),
    RepairPlan(stream, frames: 1, .flac(end: 101, nil)),
    RepairPlan(stream, frames: 1, .flac(end: -1, nil)),
    RepairPlan(stream, frames: 1, .flac(end: 41, statement)),
    RepairPlan(stream, frames: 1, .opus(end: 1 << 60, nil)),
    RepairPlan(stream, frames: 1, .opus(end: 100, ending)),
    RepairPlan(
      stream, frames: 1,
      .flac(
        end: 100,
        FLACStatement(
          rate: .hz48000, channels: 0, bits: 99, frames: -1, shortest: -1, longest: 1 << 30,
          keepsDigest: true))),
  ]

  @Test("that points beyond the file changes nothing in it", arguments: lies)
  func lie(_ plan: RepairPlan) throws {
    let scratch = try ScratchDirectory()
    let text = String(repeating: "x", count: 100)
    let path = try scratch.write(text, to: ".a.wav.part")
    let store = MachineStore(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    let liar = Liar(answer: .plan(plan))
    let part = try #require(InterruptedPart(path: path, record: nil))
    let outcome = TakeRecovery(store, reader: liar, host: QuietHost()).recover([part])
    #expect(throws: TakeError.self) { _ = try outcome.first?.get() }
    #expect(try String(decoding: scratch.read(".a.wav.part"), as: UTF8.self) == text)
  }

  @Test("needs a child for each part without a record, so that none can lie about another")
  func alone() throws {
    let scratch = try ScratchDirectory()
    let store = MachineStore(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    let liar = Liar(answer: .foreign)
    let parts = try (0..<5).map { index in
      let path = try scratch.write("x", to: ".\(index).wav.part")
      var record = SessionRecord(
        identifier: "a", name: "a", process: 1, device: "x", path: nil, began: .zero)
      record.parts = [RecordedPart(path: path)]
      return try #require(InterruptedPart(path: path, record: index < 3 ? record : nil))
    }
    _ = TakeRecovery(store, reader: liar, host: QuietHost()).recover(parts)
    #expect(liar.asked.value.withLock { $0 } == [3, 1, 1])
  }
}
