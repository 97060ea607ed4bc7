import Audio
import Foundation
import Linux
import Support
import Testing

@testable import Control
@testable import Commands
@testable import Files
@testable import Store
@testable import Takes

@Suite("A sidecar", .timeLimit(.minutes(30)))
final class SidecarTests {
  private static let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test("that was modified is deleted with its file only if it still describes that take")
  func retention() throws {
    var random = SeededGenerator(seed: 31)
    var deleted = 0
    let count = isThorough ? 4_000 : 300
    for number in 0..<count {
      let bytes = Mutant.bytes(of: Array(MutantSubject.sidecar.text.utf8), &random)
      try Data(bytes).write(to: URL(filePath: scratch.path("a.wav.json")))
      var result = try take("a.wav", number)
      result.sidecar = scratch.path("a.wav.json")
      let outcome = OldFile(result, scratch.path("a.wav"), [:]).remove()
      let isGone = try !scratch.names().contains("a.wav.json")
      #expect(isGone == (outcome == .removed(keeping: nil)))
      guard isGone else { continue }
      deleted += 1
      let members = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      #expect(members?["id"] as? String == "a", "\(String(decoding: bytes, as: UTF8.self))")
    }
    #expect(deleted > count / 10 && deleted < count)
  }

  /// Makes a saved file that was not modified after its recording.
  private func take(_ name: String, _ number: Int) throws -> RecordingResult {
    let path = try scratch.write("samples \(number)", to: name)
    let status = try FileStatus(of: path)
    let facts = TakeFacts(
      identifier: "a", name: "a", device: "d", stream: Self.stream, format: .wav)
    var result = RecordingResult(facts, reason: .stopped, exit: 0, began: status.modified)
    result.bytes = status.size
    result.path = path
    return result
  }

  @Test(
    "of a recovery that died is replaced by the next recovery, short or long",
    arguments: [3, 2_000])
  func again(marks: Int) throws {
    let whole = try recovered(marks: marks)
    #expect(whole.marks == marks)
    let first = try scratch.names()
    #expect(first.contains("take-recovered.wav.json"))
    // As if the first recovery died before it gave the file its name.
    try FileManager.default.removeItem(atPath: scratch.path("take-recovered.wav"))
    let again = try recovered(marks: marks)
    #expect(again.path == whole.path && again.sidecar == whole.sidecar)
    #expect(try scratch.names() == first)
  }

  /// Recovers a part with `marks` marks.
  private func recovered(marks: Int) throws -> RecordingResult {
    let name = ".take.wav.part"
    let samples = [UInt8](repeating: 1, count: 9_600)
    let header = WaveHeader(Self.stream).bytes(audio: 9_600, end: 9_600 + 80)
    try Data(header + samples).write(to: URL(filePath: scratch.path(name)))
    let line = #"{"frame":7,"event":"mark","text":"something that was worth a mark"}"#
    let journal = repeatElement(line, count: marks).joined(separator: "\n")
    try scratch.write(journal + "\n", to: name + ".jsonl")
    var record = SessionRecord(
      identifier: "a", name: "a", process: 7, device: "d", path: scratch.path("take.wav"),
      began: .seconds(1))
    record.parts = [RecordedPart(path: scratch.path(name))]
    record.output = OutputPlan(path: record.path, format: .wav)
    record.output?.sidecar = .always
    record.stream = Self.stream
    record.file = Self.stream
    let part = try #require(InterruptedPart(path: scratch.path(name), record: record))
    let paths = SessionPaths(state: scratch.path("state"), runtime: scratch.path("runtime"))
    let directory = try Directory(scratch.path)
    let file = try Descriptor(opening: scratch.path(name), .readWrite)
    let status = try file.status()
    let first = try OpenPart(part, file, status, in: directory).first
    let plan = try #require(
      try SoundFileRepair.plan(for: first.file, as: .wav, stream: Self.stream))
    let repaired = RepairedFile(
      file: first, plan: plan, recovery: try plan.carryOut(on: first.file))
    return try TakeNaming(part, [repaired], MachineStore(paths), ProgramHost())
      .publish(in: directory)
  }
}
