import Audio
import Playback
import Testing

/// A table and its mixing, stepped period by period; a frame is a millisecond, so a fade takes 5.
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

  /// Renders periods, and takes them back where that is possible; returns them where it is not.
  ///
  /// - Parameter feed: what others do before they are taken back.
  mutating func rehearse(_ periods: Int, meanwhile feed: () -> Void = {}) -> [Float]? {
    mixing.keep()
    let heard = play(periods)
    feed()
    guard mixing.mayTakeBack else { return heard }
    mixing.takeBack()
    return nil
  }

  /// Makes the next period, and where that is possible takes it back and makes it anew.
  mutating func renderAnew(into bytes: inout [UInt8]) {
    mixing.keep()
    render(into: &bytes)
    guard mixing.mayTakeBack else { return }
    mixing.takeBack()
    render(into: &bytes)
  }

  mutating func obey(sleeping: Bool = false) { mixing.obey(sleeping: sleeping) }

  mutating func freeze(unheard: FrameCount = 0) { mixing.freeze(unheard: unheard) }

  /// The bytes of the next period.
  mutating func bytes(sleeping: Bool = false) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xAA, count: mixing.bytes)
    render(into: &bytes, sleeping: sleeping)
    return bytes
  }

  /// Makes the next period in memory that is there already.
  mutating func render(into bytes: inout [UInt8], sleeping: Bool = false) {
    mixing.obey(sleeping: sleeping)
    var span = bytes.mutableSpan
    var raw = span.mutableBytes
    mixing.render(into: &raw, at: .seconds(7))
  }

  /// The samples of the next periods, each at its time after a first one, with frames of earlier
  /// ones still in the device's buffer.
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

  /// The samples of the next periods.
  mutating func play(_ periods: Int, sleeping: Bool = false) -> [Float] {
    var samples: [Float] = []
    for _ in 0..<periods {
      samples += bytes(sleeping: sleeping).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
    return samples
  }
}

/// A sound whose every frame is known.
enum Ramp {
  static func value(_ frame: Int) -> Float { Float(frame + 1) / 1_024 }

  /// Frames of mono floats, of this ramp or of given values.
  static func sound(_ length: Int) -> Sound { sound((0..<length).map(value)) }

  static func sound(_ values: [Float], _ format: StreamFormat = Stage.mono) -> Sound {
    values.withUnsafeBytes { Sound($0.bytes, format: format) }
  }

  static func sound(_ values: [Int16], rate: SampleRate) -> Sound {
    let format = StreamFormat(rate: rate, channels: .mono, sample: .int16)
    return values.withUnsafeBytes { Sound($0.bytes, format: format) }
  }
}

/// Whether each sample is what it should be, but for the last bits of a product.
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
