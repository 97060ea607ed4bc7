import Audio
import Foundation
import Support
import Testing

@testable import Files

/// Measures how much a program loses when it is killed while it writes.
@Suite("A killed recorder")
struct RepairKillTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The largest loss: a block of FLAC and the one frame that its encoder looks ahead, or 150 ms of
  /// Opus; in addition the 10 ms being written.
  static let promises = [
    (kind: Kind(format: .flac, sample: .int16), frames: 4_096 + 1 + 480),
    (kind: Kind(format: .flac, sample: .int24Packed), frames: 4_096 + 1 + 480),
    (kind: Kind(format: .opus, sample: .int16), frames: 7_200 + 480),
  ]

  @Test("It loses at most a block of FLAC or 150 ms of Opus", arguments: promises)
  func loss(_ kind: Kind, most: Int) throws {
    var random = SeededGenerator(seed: 5)
    var losses: [Int] = []
    for round in 0..<(isThorough ? 20 : 8) {
      let path = scratch["\(round).part"]
      let given = try kill(kind, path, after: Int.random(in: 20...500, using: &random))
      let file = try CheckedFile(openFile(path), named: path)
      let recovery = try SoundFileRepair.recover(file, as: kind.format)
      losses.append(given - Int(recovery.frames.value))
      try expectRamp(path, kind, frames: Int(recovery.frames.value))
    }
    losses.sort()
    let (median, highest) = (losses[losses.count / 2], losses[losses.count - 1])
    print("\(kind.testDescription) killed: lost \(median) frames (median), \(highest) (most)")
    #expect(losses.allSatisfy { (0...most).contains($0) }, "\(losses)")
  }

  /// Runs the probe until it has given `blocks` blocks to its writer, then kills it. Returns the
  /// number of frames that it had given.
  private func kill(_ kind: Kind, _ path: String, after blocks: Int) throws -> Int {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: try Products.path("files-probe"))
    process.arguments = [kind.format.rawValue, kind.sample.rawValue, path, "endless"]
    process.standardOutput = pipe
    try process.run()
    var said = Data()
    while said.count < blocks * 8 {
      let more = pipe.fileHandleForReading.availableData
      try #require(!more.isEmpty, "the probe ended by itself")
      said += more
    }
    #expect(Glibc.kill(process.processIdentifier, SIGKILL) == 0)
    said += pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    return said.count / 8 * 480
  }

  private func expectRamp(_ path: String, _ kind: Kind, frames: Int) throws {
    var reader = try SoundFileReader(path: path)
    #expect(reader.frames == FrameCount(frames))
    guard kind.format == .flac else { return }
    let samples = try Ramp(kind: kind).read(&reader)
    #expect(samples == Ramp(kind: kind).samples(0..<(frames * 2)))
  }
}
