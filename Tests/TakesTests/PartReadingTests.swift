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
  private static let header = FilePatch(offset: 12, bytes: [0, 127, 128, 255])

  private static let answers: [PartReading] = [
    .plan(RepairPlan(.wav, stream, frames: 41, isIntact: true)),
    .plan(RepairPlan(.raw, stream, frames: 41)),
    .plan(RepairPlan(.aiff, stream, frames: 41)),
    .plan(RepairPlan(.flac, stream, frames: 41, end: 5_000, header, hasGap: true)),
    .plan(RepairPlan(.flac, stream, frames: 41, end: 5_000, isIntact: true)),
    .plan(RepairPlan(.opus, stream, frames: 41, end: 1_000)), .empty, .foreign,
    .failed(.inputOutput), .unread("a reason"), .unread(nil),
  ]

  @Test("is sent as numbers, and read back unchanged", arguments: answers)
  func line(_ answer: PartReading) {
    let line = JSONValue.object(answer.object).encoded()
    #expect(PartReading(line: Array(line.utf8)[...], upTo: 1 << 20) == answer)
  }

  @Test(
    "that is not a valid answer counts as unread",
    arguments: [
      "", "{", "[]", "{}", #"{"plan":{}}"#, #"{"plan":7}"#,
      #"{"plan":{"format":"flac","stream":{"rate":48000,"channels":2,"sample":"S16"},"#
        + #""frames":1,"end":99,"gap":false}}"#,
      #"{"plan":{"format":"wav","stream":{"rate":48000,"channels":2,"sample":"S16"},"#
        + #""frames":1e300,"intact":false,"gap":false}}"#,
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
    RepairPlan(.wav, stream, frames: .most),
    RepairPlan(.wav, stream, frames: -1),
    RepairPlan(.wav, stream, frames: 41, end: 41),
    RepairPlan(.raw, stream, frames: FrameCount(Int64(1) << 51)),
    RepairPlan(.raw, stream, frames: 1, FilePatch(offset: 97, bytes: header.bytes)),
    RepairPlan(.flac, stream, frames: 1, end: 101),
    RepairPlan(.flac, stream, frames: 1, end: -1),
    RepairPlan(.opus, stream, frames: 1, end: .min, FilePatch(offset: 0, bytes: [0])),
    RepairPlan(.flac, stream, frames: 1, end: 15, header),
    RepairPlan(.opus, stream, frames: 1, end: 1 << 60),
    RepairPlan(.opus, stream, frames: 1, end: 100, FilePatch(offset: -1, bytes: header.bytes)),
    RepairPlan(.opus, stream, frames: 1, end: 100, FilePatch(offset: .max, bytes: header.bytes)),
  ]

  @Test("that does not fit the file changes nothing in it", arguments: lies)
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

  @Test("needs a child for each part without a record, so that no child can lie about another part")
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
