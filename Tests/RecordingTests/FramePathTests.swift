import Audio
import RealTime
import Testing

@testable import Recording

/// A converter that repeats every frame and returns the frames in bursts.
struct Doubler: RateConverter, ~Copyable {
  typealias Failure = MemoryFile.Fault
  let channels: Int
  let burst: Int
  private var held: [Float] = []
  private var isBursting = false

  init(channels: Int, burst: Int) {
    self.channels = channels
    self.burst = burst
  }

  mutating func convert(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) -> (consumed: Int, produced: Int) {
    let frames = input.count / channels
    for frame in 0..<frames { take(input, frame) }
    if held.count / channels >= burst { isBursting = true }
    return (frames, isBursting ? drain(into: &output) : 0)
  }

  mutating func drain(into output: inout MutableSpan<Float>) -> Int {
    let count = min(held.count, output.count) / channels
    for index in 0..<(count * channels) { output[index] = held[index] }
    held.removeFirst(count * channels)
    if held.isEmpty { isBursting = false }
    return count
  }

  private mutating func take(_ input: Span<Float>, _ frame: Int) {
    for _ in 0..<2 {
      for channel in 0..<channels { held.append(input[frame * channels + channel]) }
    }
  }
}

@Suite("The path from the device to the file", .timeLimit(.minutes(10)))
struct FramePathTests {
  private func stream(_ sample: SampleFormat, _ channels: ChannelCount) -> StreamFormat {
    StreamFormat(rate: .hz48000, channels: channels, sample: sample)
  }

  private func bytes(_ samples: [Int16]) -> [UInt8] {
    samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  private func change(
    _ bytes: [UInt8], _ input: StreamFormat, _ output: StreamFormat,
    _ changes: FrameChanges = .init(), seed: UInt64 = 1
  ) throws -> [UInt8] {
    var path = FramePath(
      from: input, to: output, changes, converter: NoConverter?.none, seed: seed)
    return try path.change(bytes.span.bytes).withUnsafeBytes(Array.init)
  }

  private static let samples: [Int16] = [0, 1, -1, .max, .min, 1234, -4321, 255, 256, -256]

  @Test("keeps every bit in every format that can hold it", arguments: SampleFormat.allCases)
  func exact(_ format: SampleFormat) throws {
    let start = bytes(Self.samples)
    let there = try change(start, stream(.int16, .stereo), stream(format, .stereo))
    #expect(there.count == Self.samples.count * format.bytesPerSample)
    let back = SampleConversion(from: format, to: .int16)
    var plain = [UInt8](repeating: 0, count: start.count)
    var span = plain.mutableSpan
    var room = span.mutableBytes
    back.convert(there.span.bytes, into: &room)
    #expect(plain == start)
  }

  @Test("copies 32-bit samples bit for bit, also with selected channels")
  func wide() throws {
    let start = (0..<64).map { UInt8(truncatingIfNeeded: 37 * $0 + 11) }
    #expect(try change(start, stream(.int32, .stereo), stream(.int32, .stereo)) == start)
    let right = try change(
      start, stream(.int32, .stereo), stream(.int32, .mono), FrameChanges(selection: [1]))
    let frames = stride(from: 0, to: 64, by: 8).map { Array(start[$0..<$0 + 8]) }
    let rights = frames.flatMap { $0[4...] }
    #expect(right == rights)
    let swapped = try change(
      start, stream(.int32, .stereo), stream(.int32, .stereo), FrameChanges(selection: [1, 0]))
    let turned = frames.flatMap { $0[4...] + $0[..<4] }
    #expect(swapped == turned)
  }

  @Test("mixes groups of channels to their mean")
  func mix() throws {
    let three = try #require(ChannelCount(3))
    let mixed = try change(
      bytes([1_000, 2_000, -2_000, 0, 400, 0]), stream(.int16, three), stream(.float32, .stereo),
      FrameChanges(mix: [0..<1, 1..<3]))
    let floats = mixed.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(floats.map { ($0 * 32_768).rounded() } == [1_500, -500, 200, 0])
  }

  @Test(
    "passes frames on where they are, unless something changes them",
    arguments: [
      (SampleFormat.int16, FrameChanges(), true), (.float32, FrameChanges(), false),
      (.int16, FrameChanges(selection: [1, 0]), false),
      (.int16, FrameChanges(gain: Decibels(-6)), false),
    ])
  func unchanged(_ output: SampleFormat, _ changes: FrameChanges, _ isUnchanged: Bool) throws {
    let (input, output) = (stream(.int16, .stereo), stream(output, .stereo))
    var path = FramePath(
      from: input, to: output, changes, converter: NoConverter?.none, seed: 1)
    let start = bytes(Self.samples)
    let place = start.span.bytes.withUnsafeBytes { $0.baseAddress }
    let made = try path.change(start.span.bytes).withUnsafeBytes { $0.baseAddress }
    #expect((made == place) == isUnchanged)
    #expect((path.longest > 4_096) == isUnchanged)
    // The frames that gather in an unattended capture pass in one piece.
    let gathered = Int(FrameCount(CaptureRest.longest, at: .hz48000).value)
    #expect(path.longest >= gathered || !isUnchanged)
  }

  @Test("The header is due for each gathered piece, within half a second")
  func rests() {
    let refresh = TakeOutput<MemoryFile, NoConverter>.refreshInterval
    #expect(refresh < CaptureRest.longest)
    #expect(CaptureRest.longest < .milliseconds(500))
  }

  @Test("mixes one channel from the mean of all")
  func mean() throws {
    let mono = try change(
      bytes([100, 300, -8, -16, 0, 0]), stream(.int16, .stereo), stream(.int24Packed, .mono))
    #expect(mono == [0, 200, 0, 0, 0xF4, 0xFF, 0, 0, 0])
  }

  @Test("adds noise only if bits are lost")
  func dither() throws {
    let start = bytes(Array(repeating: 1000, count: 200))
    let half = FrameChanges(gain: Decibels(-6))
    func noisy(_ output: SampleFormat, _ changes: FrameChanges) throws -> Bool {
      try change(start, stream(.int16, .stereo), stream(output, .stereo), changes, seed: 1)
        != change(start, stream(.int16, .stereo), stream(output, .stereo), changes, seed: 2)
    }
    #expect(try noisy(.int16, half))
    #expect(try !noisy(.int16, .init()))
    #expect(try !noisy(.int24, .init()))
    #expect(try !noisy(.float32, half))
  }

  @Test("multiplies by the gain")
  func gain() throws {
    let louder = FrameChanges(gain: Decibels(20))
    let result = try change(
      bytes([100, -100]), stream(.int16, .stereo), stream(.float32, .stereo), louder)
    let floats = result.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let error: Float = abs(floats[0] - 1000 / 32768)
    #expect(error < 1e-6)
    #expect(floats[1] == -floats[0])
  }

  @Test("loses no frame of a converter with any burst size", arguments: [0, 100, 20_000, 100_000])
  func bursts(_ burst: Int) throws {
    let output = StreamFormat(
      rate: try #require(SampleRate(96_000)), channels: .stereo, sample: .float32)
    var path = FramePath(
      from: stream(.float32, .stereo), to: output, .init(),
      converter: Doubler(channels: 2, burst: burst), seed: 1)
    var made: [UInt8] = []
    for block in 0..<20 {
      let samples = (0..<8192).map { Float((block * 4096 + $0 / 2) + 1) }
      made += try path.change(samples.span.bytes).withUnsafeBytes(Array.init)
    }
    while true {
      let rest = try path.drain().withUnsafeBytes(Array.init)
      if rest.isEmpty { break }
      made += rest
    }
    let floats = made.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let doubled = (0..<(20 * 4096)).flatMap { [Float](repeating: Float($0 + 1), count: 4) }
    #expect(floats == doubled)
  }
}
