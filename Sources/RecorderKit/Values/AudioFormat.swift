/// The rate, the channels and the samples of sound.
public struct AudioFormat: Hashable, Sendable {
  /// The layout of one sample.
  public enum Sample: Hashable, Sendable, CaseIterable {
    /// Signed integers of 16, 24 and 32 bits; the packed ones take three bytes.
    case int16, int24Packed, int24, int32
    /// Numbers from −1 to 1.
    case float32, float64
  }

  /// Frames a second.
  public var rate: Int
  /// Samples a frame.
  public var channels: Int
  /// The layout of each sample.
  public var sample: Sample

  /// A format of that rate and number of channels, by default with samples of type `Float`.
  public init(rate: Int, channels: Int, sample: Sample = .float32) {
    self.rate = rate
    self.channels = channels
    self.sample = sample
  }
}

extension AudioFormat {
  /// The time that a number of frames lasts.
  public func duration(of frames: Int64) -> Duration {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(max(1, rate)))
    return .seconds(seconds) + .seconds(Double(rest) / Double(max(1, rate)))
  }
}

/// A stretch of sound that does not change: frames of interleaved samples, 1 being full scale.
public struct AudioBuffer: Sendable {
  /// The rate and the channels; samples are of type `Float`.
  public let format: AudioFormat
  /// The place of its first frame, counted from the beginning of the stream; lost frames count, too.
  public let position: Int64
  /// The number of frames directly before it that are missing, because they were lost or read too late.
  public let lost: Int64
  private let storage: [Float]

  /// A stretch of the samples; an incomplete last frame is left out.
  public init(_ samples: [Float], format: AudioFormat, position: Int64 = 0, lost: Int64 = 0) {
    self.format = AudioFormat(rate: format.rate, channels: max(1, format.channels))
    self.position = position
    self.lost = lost
    let extra = samples.count % max(1, format.channels)
    storage = extra == 0 ? samples : Array(samples.dropLast(extra))
  }

  /// The same stretch for a listener who missed another directly before it.
  func following(missed former: AudioBuffer) -> AudioBuffer {
    AudioBuffer(
      storage, format: format, position: position,
      lost: lost + former.lost + Int64(former.frames))
  }

  /// The number of frames.
  public var frames: Int { storage.count / format.channels }
  /// The time that it lasts.
  public var duration: Duration { format.duration(of: Int64(frames)) }
  /// The samples, by frames and within a frame by channels.
  public var samples: Span<Float> {
    @_lifetime(borrow self) get { storage.span }
  }
  /// A copy of the samples.
  public var array: [Float] { storage }
}
