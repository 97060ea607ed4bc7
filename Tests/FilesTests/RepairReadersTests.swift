import Audio
import Foundation
import Testing

@testable import Files

@Suite("Other programs read a recovered take")
struct RepairReadersTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let kinds = [
    Kind(format: .flac, sample: .int16), Kind(format: .flac, sample: .int24Packed, channels: 1),
    Kind(format: .opus, sample: .int16),
  ]

  @Test(
    "ffmpeg", .enabled(if: Tool.isExpected("ffmpeg"), "ffmpeg is not installed"),
    arguments: kinds)
  func ffmpeg(_ kind: Kind) throws {
    for size in [3, 5] {
      let (path, take, frames) = try make(kind, units: size)
      let arguments = ["-v", "warning", "-y", "-i", path, "-f", "s32le", scratch["raw"]]
      let result = try Tool.run("ffmpeg", arguments)
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      try expectAudio(take, frames: frames)
    }
  }

  @Test(
    "sox", .enabled(if: Tool.isExpected("sox"), "sox is not installed"),
    arguments: kinds.dropLast())
  func sox(_ kind: Kind) throws {
    for size in [3, 5] {
      let (path, take, frames) = try make(kind, units: size)
      let format = ["-t", "raw", "-e", "signed-integer", "-b", "32"]
      let result = try Tool.run("sox", ["-D", "-t", "flac", path] + format + [scratch["raw"]])
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      try expectAudio(take, frames: frames)
    }
  }

  @Test(
    "The reference decoder", .enabled(if: Tool.isExpected("flac"), "flac is not installed"),
    arguments: kinds.dropLast())
  func flac(_ kind: Kind) throws {
    for size in [1, 3, 5] {
      let (path, _, _) = try make(kind, units: size)
      let result = try Tool.run("flac", ["--test", "--silent", path])
      #expect(result.status == 0, "\(result.errors)")
      let lines = result.errors.split(separator: "\n")
      // The only warning may be about the MD5 digest: it would cover samples that are lost.
      #expect(lines.allSatisfy { $0.contains("MD5") }, "\(result.errors)")
    }
  }

  /// Makes a take that ends within a frame or a page, and recovers it.
  private func make(_ kind: Kind, units: Int) throws -> (String, RepairTake, Int) {
    let take = try RepairTake(kind, frames: 48_000, noise: 900, in: scratch)
    let unit = take.units[units]
    let path = try scratch.write(Array(take.killed.prefix(unit.end + 99)), to: "killed")
    #expect(try take.recover(path).frames == FrameCount(unit.frames))
    return (path, take, unit.frames)
  }

  private func expectAudio(_ take: RepairTake, frames: Int) throws {
    let bytes = try contents(of: scratch["raw"])
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    #expect(samples.count == frames * take.kind.channels)
    guard take.kind.format != .opus else { return }
    #expect(samples.elementsEqual(take.samples.prefix(samples.count)))
  }
}
