import Audio
import Control
import Files
import Foundation
import JSON
import Linux
import Recording
import Store
import Support
import Testing

@testable import Takes

/// A reader in the test's own process.
private struct NearReader: PartReader {
  func read(_ parts: [UnreadPart]) throws -> [PartReading] {
    var readings: [PartReading] = []
    for part in parts {
      readings.append(part.clue.reading(of: try part.file.descriptor.duplicate()))
    }
    return readings
  }
}

@Suite("A recovery within another program")
final class RecoveryTests {
  private let scratch: ScratchDirectory
  private let recovery: TakeRecovery

  init() throws {
    scratch = try ScratchDirectory()
    let paths = SessionPaths(state: scratch.path("state"), runtime: scratch.path("run"))
    recovery = TakeRecovery(MachineStore(paths), reader: NearReader(), host: QuietHost())
  }

  private func part(_ name: String) throws -> InterruptedPart {
    try #require(InterruptedPart(path: scratch.path(name), record: nil))
  }

  @Test("saves the take of a dead session, to the frame and with its mark")
  func whole() throws {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    let header = WaveHeader(stream).bytes(audio: 0, end: 80)
    let samples = [UInt8](repeating: 1, count: 2 * 4_800 + 1)
    try Data(header + samples).write(to: URL(filePath: scratch.path(".a.wav.part")))
    try scratch.write(
      #"{"frame":7,"event":"mark","text":"here"}"# + "\n", to: ".a.wav.part.jsonl")
    let take = try recovery.recover([part(".a.wav.part")])[0].get()
    #expect(take.removedBytes == 1)
    #expect(take.result?.path == scratch.path("a-recovered.wav"))
    #expect(take.result?.frames.onDisk == 4_800 && take.result?.marks == 1)
    #expect(try !scratch.names().contains { $0.hasPrefix(".a.wav") })
  }

  @Test("gives parts with the same name and without records different identifiers")
  func sameName() throws {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    let header = WaveHeader(stream).bytes(audio: 0, end: 80)
    let samples = [UInt8](repeating: 1, count: 9_600)
    var identifiers: Set<String> = []
    for directory in ["b", "c"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path(directory), withIntermediateDirectories: false)
      let name = "\(directory)/.a.wav.part"
      try Data(header + samples).write(to: URL(filePath: scratch.path(name)))
      let take = try recovery.recover([part(name)])[0].get()
      identifiers.insert(try #require(take.result).identifier)
    }
    #expect(identifiers.count == 2)
  }

  struct Loss: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let frame: FrameCount
    let isFilled: Bool
    let filled: FrameCount
  }

  private static let losses = [
    Loss(testDescription: "before the trigger", frame: 0, isFilled: false, filled: 0),
    Loss(testDescription: "with silence", frame: 1_000, isFilled: true, filled: 480),
    Loss(testDescription: "at the kill", frame: 4_500, isFilled: true, filled: 300),
    Loss(testDescription: "in frames that are not saved", frame: 5_000, isFilled: true, filled: 0),
  ]

  @Test("counts only the silence in the file as filled, for a loss", arguments: losses)
  func loss(_ loss: Loss) throws {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    let header = WaveHeader(stream).bytes(audio: 0, end: 80)
    let samples = [UInt8](repeating: 1, count: 2 * 4_800)
    try Data(header + samples).write(to: URL(filePath: scratch.path(".a.wav.part")))
    let gap = Gap(position: loss.frame, length: 480, cause: .overrun)
    let event = PositionedEvent(at: loss.frame, .gap(gap, isFilled: loss.isFilled))
    try scratch.write(event.json.encoded() + "\n", to: ".a.wav.part.jsonl")
    let take = try recovery.recover([part(".a.wav.part")])[0].get()
    let frames = try #require(take.result?.frames)
    #expect(frames.onDisk == 4_800 && frames.lost == 480)
    #expect(frames.filled == loss.filled && frames.captured == 4_800 - loss.filled)
  }

  @Test("gives the files of all tracks of a take the same frames")
  func separate() throws {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    let header = WaveHeader(stream).bytes(audio: 0, end: 80)
    for (name, frames) in [(".call-mic.wav.part", 4_800), (".call-mic.wav.part-far", 4_000)] {
      let samples = [UInt8](repeating: 1, count: 2 * frames + 1)
      try Data(header + samples).write(to: URL(filePath: scratch.path(name)))
    }
    let take = try recovery.recover([part(".call-mic.wav.part")])[0].get()
    let files = ["call-mic-recovered.wav", "call-far-recovered.wav"]
    #expect(take.result?.frames.onDisk == 4_000)
    let result = try #require(take.result)
    #expect(result.files == files.map { scratch.path($0) })
    #expect(result.tracks.map(\.channels) == [0..<1, 1..<2])
    #expect(result.tracks.map(\.bytes) == [8_080, 8_080])
    #expect(try !scratch.names().contains { $0.hasPrefix(".call") })
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let obstacle: RecoveryObstacle
    let make: @Sendable (_ path: String) throws -> Void
  }

  private static let refused: [Case] = [
    Case(testDescription: "nothing", name: ".a.wav.part", obstacle: .gone) { _ in },
    Case(testDescription: "a text", name: ".a.wav.part", obstacle: .unknownFormat) {
      try Data("text".utf8).write(to: URL(filePath: $0))
    },
    Case(testDescription: "bare samples", name: ".a.raw.part", obstacle: .unknownSamples) {
      try Data("text".utf8).write(to: URL(filePath: $0))
    },
    Case(testDescription: "a file with two names", name: ".a.wav.part", obstacle: .severalNames(2))
    {
      try Data("text".utf8).write(to: URL(filePath: $0))
      try FileManager.default.linkItem(atPath: $0, toPath: $0 + ".link")
    },
    Case(testDescription: "a link", name: ".a.wav.part", obstacle: .notAFile) {
      try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/dev/null")
    },
  ]

  @Test("reports as a value why a part is not recovered", arguments: refused)
  func obstacle(_ refused: Case) throws {
    try refused.make(scratch.path(refused.name))
    let names = try scratch.names()
    let part = try part(refused.name)
    var found: RecoveryObstacle?
    do {
      _ = try recovery.recover([part])[0].get()
    } catch {
      if case TakeError.recovery(part.path, let obstacle) = error { found = obstacle }
    }
    #expect(found == refused.obstacle)
    #expect(try scratch.names() == names)
  }

  @Test("leaves a part that its writer has locked")
  func live() throws {
    let path = try scratch.write("text", to: ".a.wav.part")
    let writer = try Descriptor(opening: path, .readWrite)
    let isLocked = try writer.lock()
    #expect(isLocked)
    let part = try part(".a.wav.part")
    do {
      try recovery.check(part)
      Issue.record("the part was taken from its writer")
    } catch {
      guard case TakeError.recovery(path, .live(nil, .unknown)) = error else {
        Issue.record("\(error)")
        return
      }
    }
    _ = consume writer
    // A program that another test starts at this moment has the descriptor until its execve.
    try eventually { (try? recovery.check(part)) != nil }
  }

  @Test("removes a part without sound, and reports the texts of its marks")
  func empty() throws {
    try scratch.write("", to: ".a.wav.part")
    let events = [#"{"frame":9,"event":"paused"}"#, #"{"frame":9,"event":"mark","text":"price"}"#]
    try scratch.write(events.joined(separator: "\n"), to: ".a.wav.part.jsonl")
    let take = try recovery.recover([part(".a.wav.part")])[0].get()
    #expect(take.result == nil && take.lostMarks == ["price"])
    #expect(try scratch.names().allSatisfy { !$0.contains(".a.wav.part") })
  }
}
