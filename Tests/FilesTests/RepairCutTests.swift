import Audio
import Support
import Testing

@testable import Files

@Suite("A file that is cut after a number of frames")
struct RepairCutTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "keeps the frames before it, or the whole blocks before it",
    arguments: [.wav, .raw, .caf, .aiff, .flac, .opus] as [FileFormat])
  func cut(format: FileFormat) throws {
    let kind = Kind(format: format, sample: .int16)
    let take = try RepairTake(kind, frames: 120_000, in: scratch)
    let stream = try kind.settings().stream
    for most in [1, 5_000, 48_000, 70_001, 119_999, 120_000, 200_000] {
      let path = try scratch.write(take.closed, to: "cut")
      let file = try CheckedFile(openFile(path), named: path)
      let plan = try SoundFileRepair.plan(
        for: file, as: format, stream: stream, upTo: FrameCount(most))
      let block = take.units.last { $0.frames <= most }?.frames ?? 0
      let expected = format == .flac ? block : min(most, 120_000)
      #expect(plan?.frames ?? 0 == FrameCount(expected), "\(most)")
      guard let plan else { continue }
      #expect(try plan.carryOut(on: file).frames == FrameCount(expected), "\(most)")
      var reader = try SoundFileReader(
        openFile(path), named: path, raw: format == .raw ? stream : nil)
      #expect(reader.countFrames() == FrameCount(expected), "\(most)")
    }
  }
}
