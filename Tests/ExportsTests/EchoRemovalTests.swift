import Audio
import Decoding
import Files
import Foundation
import Linux
import Support
import Testing

@testable import Analysis
@testable import Exports

@Suite("The passages with an echo")
struct EchoPassagesTests {
  /// An echo at -6 dB in one block, 10 ms after its sound.
  private let path = EchoPath(
    delay: 0, powers: [0.25] + Array(repeating: 0, count: 59), noise: 1e-6)

  /// Adds blocks with these powers. The removal lowers the echo by 30 dB.
  private func passages(
    _ blocks: [(near: Double, far: Double)], early: Int = 0
  ) -> EchoPassages {
    var passages = EchoPassages(path, noise: 1e-6)
    passages.early = early
    var echo = 0.0
    for block in blocks {
      passages.add(recorded: block.near + echo + 1e-6, played: block.far)
      passages.add(result: block.near + echo / 1_000)
      echo = block.far / 4
    }
    passages.finish()
    return passages
  }

  private func blocks(_ near: Double, _ far: Double) -> [(near: Double, far: Double)] {
    Array(repeating: (near, far), count: 200)
  }

  @Test("The reduction is that of the echo alone, and the share of speech with echo is counted")
  func counted() throws {
    let turns =
      blocks(0, 0.01) + blocks(0, 0) + blocks(0.02, 0) + blocks(0, 0) + blocks(0.02, 0.01)
    let passages = passages(turns)
    #expect(abs(try #require(passages.reduction) - 30) < 0.5)
    #expect(abs(passages.overlap - 0.2) < 0.05)
    // The echo has a quarter of 0.01, and the speech 0.02.
    #expect(abs(try #require(passages.excess) - 10 * log10(0.0025 / 0.02)) < 1.5)
  }

  @Test("Without a passage of its own, neither the echo nor the speech has a level")
  func unknown() throws {
    #expect(passages(blocks(0.02, 0.01)).reduction == nil)
    #expect(passages(blocks(0, 0)).reduction == nil)
    let echo = passages(blocks(0, 0.01))
    #expect(echo.reduction != nil && echo.excess == nil && echo.overlap == 0)
  }

  @Test("Blocks before the export are not counted")
  func early() throws {
    let passages = passages(blocks(0, 0.01) + blocks(0.02, 0), early: 200)
    #expect(passages.reduction == nil && passages.overlap < 0.05)
  }
}

@Suite("An export without an echo", .requires(tool: "pipewire"))
final class EchoRemovalTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Writes a take with the tracks `mic` and `far`, each with a number of channels.
  private func export(_ call: SimulatedCall, near: [Float], far: [Float], width: Int = 1) throws
    -> Export
  {
    let rate = try #require(SampleRate(call.rate))
    let channels = try #require(ChannelCount(2 * width))
    let stream = StreamFormat(rate: rate, channels: channels, sample: .int16)
    let file = try Descriptor(
      opening: scratch.path("call.wav"), [.readWrite, .create, .exclusive])
    var writer = try SoundFileWriter(
      file, named: "call.wav", SoundFileSettings(format: .wav, stream: stream))
    let samples = near.indices.flatMap { index in
      [near[index], far[index]].flatMap { sample in
        Array(repeating: Int16(max(-1, min(1, sample)) * 32_767), count: width)
      }
    }
    try writer.write(samples.span.bytes, of: .int16)
    try writer.close()
    var source = ExportSource(
      rate: rate, channels: channels, sample: .int16, frames: FrameCount(near.count))
    source.tracks = [
      Track(name: "mic", device: "default", channels: 0..<width),
      Track(name: "far", device: "output", channels: width..<2 * width),
    ]
    return try Export(
      of: source, in: OpenFile(Descriptor(opening: scratch.path("call.wav"))),
      by: { file, order, first in try LocalDecoder(file, order, from: first) },
      progress: { _ in })
  }

  private func plan(_ echo: String? = "far") -> ExportPlan {
    var plan = ExportPlan(.wav)
    (plan.track, plan.echo) = ("mic", echo)
    return plan
  }

  /// Exports a call at its own rate and returns the samples of the first channel, and the echo.
  private func exported(
    _ call: SimulatedCall, near: [Float]? = nil, far: [Float]? = nil, width: Int = 1,
    _ change: (inout ExportPlan) -> Void = { _ in }
  ) throws -> (samples: [Float], echo: RemovedEcho?) {
    let export = try export(
      call, near: near ?? call.microphone, far: far ?? call.far, width: width)
    var plan = plan()
    change(&plan)
    let (layout, files, echo) = try export.run(plan, to: .file(scratch.path("out.wav")))
    let stream = StreamFormat(rate: layout.stream.rate, channels: .mono, sample: .float32)
    let file = try Descriptor(opening: scratch.path("out.wav"))
    let decoder = try LocalDecoder(file, DecodeOrder(name: "out.wav", format: stream), from: 0)
    var bytes = [UInt8](repeating: 0, count: 4 * Int(try #require(files.first).frames.value) + 4)
    let count = try decoder.read(into: &bytes)
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self).prefix(count / 4)) }
    return (samples, echo)
  }

  /// Returns the delay of the speech in the samples, from -50 to 50.
  private func shift(_ samples: [Float], of call: SimulatedCall, from first: Int = 0) -> Int? {
    let speech = samples.indices.filter { call.isSpeechAlone(at: first + $0) }
      .filter { $0 >= 50 && $0 + 50 < samples.count }
    let products = (-50...50).map { shift in
      speech.reduce(Float(0)) { $0 + call.near[first + $1] * samples[$1 + shift] }
    }
    return products.indices.max { products[$0] < products[$1] }.map { $0 - 50 }
  }

  /// Returns the change of the level in the samples that meet a condition, in decibels.
  private func change(
    _ samples: [Float], of call: SimulatedCall, from first: Int = 0,
    where condition: (Int) -> Bool
  ) -> Double {
    let near = call.microphone
    let chosen = samples.indices.filter { condition(first + $0) }
    return SimulatedCall.level(chosen.map { samples[$0] })
      - SimulatedCall.level(chosen.map { near[first + $0] })
  }

  @Test(
    "has the same length, an echo that is at least 20 dB lower, and the same speech in its place",
    arguments: sampled([(44_100, 0.2, 2), (48_000, 0.005, 1), (8_000, 0.06, 1)], 1))
  func removed(rate: Int, delay: Double, width: Int) throws {
    let call = SimulatedCall(rate: rate, seconds: 10, delay: delay, gain: 0.5)
    let (samples, echo) = try exported(call, width: width)
    #expect(samples.count == call.near.count)
    let found = try #require(echo)
    #expect(found.track == "far" && found.state == .removed)
    #expect(abs(try #require(found.delay) / .seconds(1) - delay) < 0.001)
    let reduction = -change(samples, of: call, where: call.isEchoAlone(at:))
    // The report also counts the first half second: the canceller adapts itself during it.
    let reported = try #require(found.reduction)
    let whole = -change(samples, of: call) { call.echo[$0] != 0 }
    #expect(reduction > 20 && abs(reported - whole) < 3, "\(found), \(whole), \(reduction)")
    #expect(abs(change(samples, of: call, where: call.isSpeechAlone(at:))) < 1)
    #expect((found.overlap ?? 1) < 0.15, "\(found)")
    #expect(abs(try #require(shift(samples, of: call))) <= 2)
  }

  @Test("begins at the requested time, and its first echo is already lower")
  func part() throws {
    let call = SimulatedCall(rate: 16_000, seconds: 12, delay: 0.1, gain: 0.5)
    let (samples, _) = try exported(call) { plan in
      (plan.from, plan.to) = (.milliseconds(5_700), .milliseconds(9_111))
    }
    let first = 91_200
    #expect(samples.count == 145_776 - first)
    let start = change(Array(samples.prefix(4_000)), of: call, from: first) { _ in true }
    #expect(start < -20, "\(start)")
    #expect(abs(try #require(shift(samples, of: call, from: first))) <= 2)
  }

  @Test("has unchanged samples if there is no echo, and the result has the reason")
  func unchanged() throws {
    let call = SimulatedCall(rate: 16_000, seconds: 6, delay: 0.1, gain: 0.5)
    let silence = [Float](repeating: 0, count: call.near.count)
    let expected = call.near.map { Float(Int16($0 * 32_767)) / 32_768 }
    let (absent, echo) = try exported(call, near: call.near)
    #expect(absent == expected && echo == RemovedEcho(track: "far", state: .absent))
    let other = try EchoRemovalTests()
    let (silent, reason) = try other.exported(call, near: call.near, far: silence)
    #expect(silent == expected && reason == RemovedEcho(track: "far", state: .silent))
  }

  @Test("has unchanged samples if the echo is never louder than the noise")
  func unmeasured() throws {
    let call = SimulatedCall(rate: 16_000, seconds: 30, delay: 0.1, gain: 0.5)
    var random = SeededGenerator(seed: 3)
    let near = call.echo.map { $0 + Float.random(in: -0.25...0.25, using: &random) }
    let expected = near.map { Float(Int16(max(-1, min(1, $0)) * 32_767)) / 32_768 }
    let (samples, echo) = try exported(call, near: near)
    #expect(samples == expected && echo == RemovedEcho(track: "far", state: .unmeasured))
  }

  @Test("can be normalized, and the other side can be louder than the speech")
  func normalized() throws {
    let call = SimulatedCall(rate: 48_000, seconds: 8, delay: 0.05, gain: 2)
    let export = try export(call, near: call.microphone.map { $0 / 4 }, far: call.far)
    var plan = plan()
    plan.loudness = -20
    let (_, files, echo) = try export.run(plan, to: .file(scratch.path("out.wav")))
    #expect(abs(try #require(files.first?.loudness) + 20) < 0.1)
    let found = try #require(echo)
    #expect((found.excess ?? 0) > 3 && (found.reduction ?? 0) > 20, "\(found)")
  }

  @Test("replaces samples that the canceller would keep forever")
  func invalid() {
    let tracks = EchoTracks(recorded: 0..<2, played: 2..<3, channels: ChannelCount(3) ?? .mono)
    let samples: [Float] = [0.5, 0.25, 1, .nan, 0.5, -.infinity, 1e30, 1e30, -1e30]
    #expect(tracks.mean(0..<2, of: samples) == [0.375, 0, 100])
    #expect(tracks.mean(2..<3, of: samples) == [1, 0, -100])
  }

  @Test("needs both tracks")
  func tracks() throws {
    let call = SimulatedCall(rate: 8_000, seconds: 4, delay: 0.1, gain: 0.5)
    let export = try export(call, near: call.near, far: call.far)
    #expect(throws: ExportRefusal.noTrack("x", has: ["mic", "far"])) {
      try export.run(plan("x"), to: .file(scratch.path("out.wav")))
    }
    #expect((try? FileStatus(of: scratch.path("out.wav"))) == nil)
  }
}
