internal import Audio
internal import RealTime

/// Memory in which pieces of sounds become floats with the volume applied.
struct SoundScratch: ~Copyable, Sendable {
  private var memory: [Float]
  private var peak: Float = 0
  private let fromInt16 = SampleConversion(from: .int16, to: .float32)
  private let fromFloat = SampleConversion(from: .float32, to: .float32)

  /// Room for that many frames.
  init(_ frames: Int, channels: ChannelCount) {
    memory = [Float](repeating: 0, count: frames * channels.value)
  }

  /// Adds a piece of a sound to the mix from frame `first` on, with the gains of its strand.
  mutating func add(
    _ sound: SoundFrames, _ piece: Range<Int>, of strand: inout Strand, to mixer: inout Mixer,
    at first: Int
  ) {
    let conversion = sound.isFloat ? fromFloat : fromInt16
    let part = Self.add(
      sound.bytes(piece), conversion, of: &strand, to: &mixer, at: first,
      by: &memory, samples: piece.count * sound.channels)
    peak = max(peak, part)
  }

  /// Returns the largest magnitude.
  private static func add(
    _ bytes: RawSpan, _ conversion: SampleConversion, of strand: inout Strand,
    to mixer: inout Mixer, at first: Int, by memory: inout [Float], samples: Int
  ) -> Float {
    var all = memory.mutableSpan
    var floats = all._mutatingExtracting(first: samples)
    conversion.convert(bytes, into: &floats)
    strand.volume.apply(to: &floats)
    mixer.add(floats.span, at: first, gain: &strand.envelope)
    var peak: Float = 0
    for index in floats.indices {
      let magnitude = floats[index].magnitude
      if magnitude > peak { peak = magnitude }
    }
    return peak
  }

  /// The largest magnitude since the last time.
  mutating func takePeak() -> Float {
    defer { peak = 0 }
    return peak
  }
}
