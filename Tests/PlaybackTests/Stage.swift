import Audio
import Playback
import Testing

/// A voice table and its mixing, rendered period by period. A frame lasts a millisecond, so a fade
/// takes 5 frames.
struct Stage: ~Copyable {
  static let fade = 5
  static let mono = StreamFormat(
    rate: SampleRate(1_000) ?? .hz48000, channels: .mono, sample: .float32)

  let table: VoiceTable
  private var mixing: Mixing

  init(_ format: StreamFormat = mono, _ change: (inout OutputSettings) -> Void = { _ in }) throws {
    var settings = OutputSettings()
    change(&settings)
    table = VoiceTable(format, settings)
    guard let mixing = table.mixing.take() else {
      preconditionFailure("a new table has its mixing")
    }
    self.mixing = mixing
  }

  var isAtRest: Bool { mixing.isAtRest }

  /// Renders periods, and rewinds them if possible. Returns their samples if they cannot be
  /// rewound.
  ///
  /// - Parameter feed: runs before the periods are rewound.
  mutating func rehearse(_ periods: Int, meanwhile feed: () -> Void = {}) -> [Float]? {
    mixing.keep()
    let heard = play(periods)
    feed()
    guard mixing.mayTakeBack else { return heard }
    mixing.takeBack()
    return nil
  }

  /// Renders the next period. If possible, rewinds it and renders it again.
  mutating func renderAnew(into bytes: inout [UInt8]) {
    mixing.keep()
    render(into: &bytes)
    guard mixing.mayTakeBack else { return }
    mixing.takeBack()
    render(into: &bytes)
  }

  mutating func obey(sleeping: Bool = false) { mixing.obey(sleeping: sleeping) }

  mutating func freeze(unheard: FrameCount = 0) { mixing.freeze(unheard: unheard) }

  /// Returns the bytes of the next period.
  mutating func bytes(sleeping: Bool = false) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xAA, count: mixing.bytes)
    render(into: &bytes, sleeping: sleeping)
    return bytes
  }

  /// Renders the next period into existing memory.
  mutating func render(into bytes: inout [UInt8], sleeping: Bool = false) {
    mixing.obey(sleeping: sleeping)
    var span = bytes.mutableSpan
    var raw = span.mutableBytes
    mixing.render(into: &raw, at: .seconds(7))
  }

  /// Returns the samples of the next periods, each rendered at its time after `first`. `ahead`
  /// previous frames are still in the device's buffer.
  mutating func play(
    _ periods: Int, from first: Duration, after ahead: FrameCount = 0
  ) -> [Float] {
    var samples: [Float] = []
    let length = mixing.bytes
    for period in 0..<periods {
      var bytes = [UInt8](repeating: 0xAA, count: length)
      mixing.obey(sleeping: false)
      var span = bytes.mutableSpan
      var raw = span.mutableBytes
      mixing.render(
        into: &raw, at: first + .milliseconds(period * mixing.period), after: ahead)
      samples += bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
    return samples
  }

  /// Returns the samples of the next periods.
  mutating func play(_ periods: Int, sleeping: Bool = false) -> [Float] {
    var samples: [Float] = []
    for _ in 0..<periods {
      samples += bytes(sleeping: sleeping).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
    return samples
  }
}

/// A sound with known frames.
enum Ramp {
  static func value(_ frame: Int) -> Float { Float(frame + 1) / 1_024 }

  /// Returns a sound of mono floats, from this ramp or with given values.
  static func sound(_ length: Int) -> Sound { sound((0..<length).map(value)) }

  static func sound(_ values: [Float], _ format: StreamFormat = Stage.mono) -> Sound {
    values.withUnsafeBytes { Sound($0.bytes, format: format) }
  }

  static func sound(_ values: [Int16], rate: SampleRate) -> Sound {
    let format = StreamFormat(rate: rate, channels: .mono, sample: .int16)
    return values.withUnsafeBytes { Sound($0.bytes, format: format) }
  }
}

extension Sound {
  /// A sound with a copy of whole interleaved frames.
  convenience init(_ frames: RawSpan, format: StreamFormat) {
    var memory = SoundMemory(format, room: FrameCount(frames.byteCount / format.bytesPerFrame))
    memory.append(frames)
    self.init(memory)
  }
}

/// Expects that each sample has the expected value, except for the last bits of a product.
func expectSame(
  _ heard: [Float], _ expected: [Float], _ comment: Comment? = nil,
  location: SourceLocation = #_sourceLocation
) {
  #expect(heard.count == expected.count, comment, sourceLocation: location)
  for (frame, pair) in zip(heard, expected).enumerated() where abs(pair.0 - pair.1) > 2e-6 {
    Issue.record(
      "frame \(frame) is \(pair.0), not \(pair.1): \(comment?.rawValue ?? "")",
      sourceLocation: location)
    return
  }
}
