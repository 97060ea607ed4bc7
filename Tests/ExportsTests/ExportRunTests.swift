import Audio
import Decoding
import Files
import Linux
import Support
import Testing

@testable import Exports

@Suite("A running export")
struct ExportRunTests {
  /// Writes a file of 4,800 frames, and returns its path.
  private func sound(in scratch: borrowing ScratchDirectory) throws -> String {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    let path = scratch.path("a.wav")
    var writer = try SoundFileWriter(
      Descriptor(opening: path, [.readWrite, .create, .exclusive]), named: path,
      SoundFileSettings(format: .wav, stream: stream))
    let samples = [Int16](repeating: 100, count: 4_800)
    try writer.write(samples.span.bytes, of: .int16)
    try writer.close()
    return path
  }

  @Test("gives each decoder the counted length of its file, at the rate of the export")
  func lengths() throws {
    let scratch = try ScratchDirectory()
    let path = try sound(in: scratch)
    let source = ExportSource(rate: .hz48000, channels: .mono, sample: .int16, frames: 4_800)
    var lengths: [FrameCount?] = []
    var export = try Export(
      of: source, in: OpenFile(Descriptor(opening: path)),
      by: { file, order, first in
        lengths.append(order.length)
        return try LocalDecoder(file, order, from: first)
      }, progress: { _ in })
    try export.append(source, in: OpenFile(Descriptor(opening: path)))
    var plan = ExportPlan(.wav)
    plan.rate = .hz44100
    let files = try export.run(plan, to: .file(scratch.path("b.wav"))).files
    #expect(files.first?.frames == 8_820)
    #expect(lengths == [4_410, 4_410])
  }

  @Test("leaves no part if a later part fails")
  func stopped() throws {
    struct Stop: Error {}
    let scratch = try ScratchDirectory()
    let path = try sound(in: scratch)
    var source = ExportSource(rate: .hz48000, channels: .mono, sample: .int16, frames: 4_800)
    source.marks = [SoundFileCue(at: 2_400, label: "")]
    let export = try Export(
      of: source, in: OpenFile(Descriptor(opening: path)),
      by: { file, order, first in try LocalDecoder(file, order, from: first) },
      progress: { share in
        guard share > 0.6 else { return }
        #expect(try scratch.names().contains("b-001.wav"))
        throw Stop()
      })
    var plan = ExportPlan(.wav)
    plan.splitsAtMarks = true
    #expect(throws: Stop.self) { try export.run(plan, to: .file(scratch.path("b.wav"))) }
    #expect(try scratch.names() == ["a.wav"])
  }
}
