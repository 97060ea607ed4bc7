internal import Audio
internal import Decoding
internal import PipeWire
internal import RealTime

/// The decoded frames of a take, with the echo removed from one track. The channels of the other
/// tracks are silent.
///
/// The decoder begins up to two seconds before the first frame. So the canceller has adapted itself
/// to the room when the first frame is processed.
///
/// Unchecked `Sendable`: only one thread at a time uses a supply of frames.
final class EchoFreeFrames: FrameSupply, @unchecked Sendable {
  private let removal: EchoRemoval
  private let supply: any FrameSupply
  private var canceller: EchoCanceller
  private var recordedDelays: [DelayLine]
  private var playedDelay: DelayLine
  /// The number of decoded frames, counted from the first frame of the export. It is negative until
  /// this frame is decoded.
  private var decoded: Int
  /// The number of frames to return, or nil until the last frame is decoded.
  private var length: Int?
  /// The number of frames that were returned or are pending.
  private var produced = 0
  /// The number of frames to drop at the beginning of the canceller's output. They come before the
  /// first frame of the microphone, because the canceller delays its output.
  private var delay: Int
  /// The number of further frames to drop, because they are before the first frame of the export.
  private var unwanted: Int
  /// The samples that were not returned yet.
  private var pending: [Float] = []
  /// The incomplete last block of the canceller's output: the sum of the squares of its samples,
  /// and the number of its frames.
  private var result = (power: 0.0, frames: 0)

  /// The largest number of blocks of 10 ms to decode before the first frame.
  private static let mostEarly = 200

  /// Opens the decoder of a take some time before the frame `first`.
  init(
    _ removal: EchoRemoval, from first: FrameCount,
    by open: (_ first: FrameCount) throws -> any FrameSupply
  ) throws {
    let width = ChannelCount(removal.tracks.recorded.count) ?? .mono
    let canceller = try withRefusals { () throws(EchoCancellerError) in
      try EchoCanceller(rate: removal.rate, channels: width)
    }
    let size = canceller.blockSize
    let early = min(Self.mostEarly, Int(first.value) / size)
    let lead = early * size
    supply = try open(first - FrameCount(lead))
    self.canceller = canceller
    self.removal = removal
    decoded = -lead
    let wait = max(0, -removal.shift)
    recordedDelays = removal.tracks.recorded.map { _ in DelayLine(wait) }
    playedDelay = DelayLine(max(0, removal.shift))
    delay = removal.latency
    unwanted = lead + wait
    removal.begin(after: early)
  }

  func head() throws -> DecodedHead { try supply.head() }

  func read(into bytes: inout [UInt8]) throws -> Int {
    let width = removal.tracks.channels.value
    let wanted = bytes.count / 4 / width
    while pending.count / width < wanted, produced < length ?? .max { try takeBlock() }
    let samples = Array(pending.prefix(wanted * width))
    pending.removeFirst(samples.count)
    let same = SampleConversion(from: .float32, to: .float32)
    let block: [UInt8] = same.converted(unsafe samples.span.bytes)
    bytes.replaceSubrange(..<block.count, with: block)
    return block.count
  }

  func finish() throws { try supply.finish() }

  func abandon() { supply.abandon() }

  /// Decodes and processes a block. After the last frame of the file, the block is silence.
  private func takeBlock() throws {
    let (tracks, size) = (removal.tracks, canceller.blockSize)
    let samples = try decodedBlock()
    var recorded: [Float] = []
    for (index, channel) in tracks.recorded.enumerated() {
      var samples = tracks.mean(channel..<channel + 1, of: samples)
      recordedDelays[index].process(&samples)
      recorded += samples
    }
    var played = tracks.mean(tracks.played, of: samples)
    playedDelay.process(&played)
    removal.passages.add(recorded: power(recorded), played: power(played))
    try withRefusals { () throws(EchoCancellerError) in
      try canceller.process(&recorded, removing: played)
    }
    for frame in 0..<size { add(frame, of: recorded) }
  }

  private func decodedBlock() throws -> [Float] {
    let width = removal.tracks.channels.value * 4
    var bytes = [UInt8](repeating: 0, count: canceller.blockSize * width)
    if length == nil {
      let count = try supply.read(into: &bytes)
      decoded += count / width
      if count < bytes.count { length = max(0, decoded) }
    }
    return SampleConversion(from: .float32, to: .float32).converted(unsafe bytes.span.bytes)
  }

  /// Adds a frame of the canceller's output to the pending frames, or drops it.
  private func add(_ frame: Int, of block: [Float]) {
    guard delay == 0 else {
      delay -= 1
      return
    }
    let (recorded, size) = (removal.tracks.recorded, canceller.blockSize)
    for index in 0..<recorded.count {
      let sample = Double(block[index * size + frame])
      result.power += sample * sample
    }
    result.frames += 1
    if result.frames == size {
      removal.passages.add(result: result.power / Double(size * recorded.count))
      result = (0, 0)
    }
    if unwanted > 0 {
      unwanted -= 1
    } else if produced < length ?? .max {
      produced += 1
      for channel in 0..<removal.tracks.channels.value {
        let index = channel - recorded.lowerBound
        pending.append(recorded.contains(channel) ? block[index * size + frame] : 0)
      }
    }
  }

  private func power(_ samples: [Float]) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
  }
}
