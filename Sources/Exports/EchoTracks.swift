internal import Analysis
internal import Audio

/// The channels of a microphone and of a loudspeaker in each frame of a take.
struct EchoTracks: Hashable {
  let recorded: Range<Int>
  let played: Range<Int>
  let channels: ChannelCount

  /// The time from a sound to its first echo in the input of the canceller. In tests, the canceller
  /// needed a few milliseconds, and gave a worse result with more than 20 ms.
  static let lead = Duration.milliseconds(10)

  /// The largest sample that is processed: 40 dB above full scale.
  private static let largest: Float = 100

  /// Returns the mean of some channels of interleaved samples. Samples that are not finite become
  /// silence, because they would stay in the state of the canceller forever.
  func mean(_ range: Range<Int>, of samples: [Float]) -> [Float] {
    stride(from: 0, to: samples.count, by: channels.value).map { frame in
      let sum = range.reduce(Float(0)) { $0 + samples[frame + $1] }
      let mean = sum.isFinite ? sum / Float(range.count) : 0
      return min(Self.largest, max(-Self.largest, mean))
    }
  }

  /// Searches for the echo in a range, which counts frames at the rate of the search. If the first
  /// pass finds an echo, a second pass measures its powers.
  func search(
    in range: Range<FrameCount>, by decoder: ExportReader.Decoder,
    progress: (Double) throws -> Void
  ) throws -> EchoSearch.Finding {
    let first = try pass(EchoSearch(), in: range, by: decoder) { try progress($0 / 2) }
    guard case .found(let path) = first else { return first }
    let second = try pass(EchoSearch(after: path.delay), in: range, by: decoder) {
      try progress(0.5 + $0 / 2)
    }
    return second
  }

  /// Returns whether a range contains enough of the echo alone to measure it. The range counts
  /// frames at the rate of the search. The canceller is not used, because the echo is predicted.
  ///
  /// This check rejects false echoes. Steady sounds of the two tracks can be similar by chance,
  /// above all in a short take. But the echo that is predicted from such sounds is not louder than
  /// the noise, or it occurs only together with speech.
  func hasEchoAlone(
    _ path: EchoPath, in range: Range<FrameCount>, by decoder: ExportReader.Decoder,
    progress: (Double) throws -> Void
  ) throws -> Bool {
    func power(_ samples: ArraySlice<Float>) -> Double {
      samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
    }
    let block = Int(FrameCount(.milliseconds(10), at: EchoSearch.rate).value)
    let shift = path.delay - Int(FrameCount(Self.lead, at: EchoSearch.rate).value)
    var recordedDelay = DelayLine(max(0, -shift))
    var playedDelay = DelayLine(max(0, shift))
    var passages = EchoPassages(path, noise: path.noise)
    let stream = StreamFormat(rate: EchoSearch.rate, channels: channels, sample: .float32)
    let reader = try ExportReader(decoder, stream, from: range.lowerBound)
    reader.size = 50 * block
    let length = Double((range.upperBound - range.lowerBound).value)
    while reader.position < range.upperBound {
      try reader.read(upTo: range.upperBound)
      var near = mean(recorded, of: reader.floats)
      var far = mean(played, of: reader.floats)
      recordedDelay.process(&near)
      playedDelay.process(&far)
      for first in stride(from: 0, through: near.count - block, by: block) {
        let part = first..<first + block
        passages.add(recorded: power(near[part]), played: power(far[part]))
        passages.add(result: 0)
      }
      try progress(Double((reader.position - range.lowerBound).value) / length)
    }
    reader.end()
    passages.finish()
    return passages.hasEchoAlone
  }

  private func pass(
    _ search: consuming EchoSearch, in range: Range<FrameCount>, by decoder: ExportReader.Decoder,
    progress: (Double) throws -> Void
  ) throws -> EchoSearch.Finding {
    let stream = StreamFormat(rate: EchoSearch.rate, channels: channels, sample: .float32)
    let reader = try ExportReader(decoder, stream, from: range.lowerBound)
    let length = Double((range.upperBound - range.lowerBound).value)
    while reader.position < range.upperBound {
      try reader.read(upTo: range.upperBound)
      let samples = reader.floats
      search.add(mean(recorded, of: samples), mean(played, of: samples))
      try progress(Double((reader.position - range.lowerBound).value) / length)
    }
    reader.end()
    return search.finish()
  }
}

extension EchoTracks {
  /// The tracks of a plan: the track to write, and the track whose echo is removed. Nil if the plan
  /// removes no echo.
  init?(_ plan: ExportPlan, _ source: ExportSource) throws {
    guard let name = plan.echo, let recorded = try ExportLayout.tracks(plan, source).first else {
      return nil
    }
    var other = plan
    other.track = name
    guard let played = try ExportLayout.tracks(other, source).first else { return nil }
    (self.recorded, self.played, channels) = (recorded, played, source.channels)
  }
}
