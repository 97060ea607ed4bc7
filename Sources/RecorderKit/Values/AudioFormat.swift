/// The rate, the channels and the sample format of sound.
public struct AudioFormat: Hashable, Sendable {
  /// The format of one sample.
  public enum Sample: Hashable, Sendable, CaseIterable {
    /// Signed integers of 16, 24 and 32 bits. Packed ones take three bytes.
    case int16, int24Packed, int24, int32
    /// Floating-point numbers from −1 to 1.
    case float32, float64
  }

  /// The number of frames per second.
  public var rate: Int
  /// The number of channels.
  public var channels: Int
  /// The sample format.
  public var sample: Sample

  /// Creates a format. The default sample format is `Float`.
  public init(rate: Int, channels: Int, sample: Sample = .float32) {
    self.rate = rate
    self.channels = channels
    self.sample = sample
  }
}

extension AudioFormat {
  /// Returns the duration of a number of frames.
  public func duration(of frames: Int64) -> Duration {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(max(1, rate)))
    return .seconds(seconds) + .seconds(Double(rest) / Double(max(1, rate)))
  }
}

/// Immutable sound: frames of interleaved samples; full scale is 1.
public struct AudioBuffer: Sendable {
  /// The rate and the channels. The samples are `Float`.
  public let format: AudioFormat
  /// The position of the first frame in the stream. Lost frames count, too.
  public let position: Int64
  /// The number of frames missing directly before this buffer, because they were lost or read too
  /// late.
  public let lost: Int64
  private let storage: [Float]

  /// Creates a buffer from samples. An incomplete last frame is dropped.
  public init(_ samples: [Float], format: AudioFormat, position: Int64 = 0, lost: Int64 = 0) {
    self.format = AudioFormat(rate: format.rate, channels: max(1, format.channels))
    self.position = position
    self.lost = lost
    let extra = samples.count % max(1, format.channels)
    storage = extra == 0 ? samples : Array(samples.dropLast(extra))
  }

  /// Returns this buffer for a listener that missed another buffer directly before it.
  func following(missed former: AudioBuffer) -> AudioBuffer {
    AudioBuffer(
      storage, format: format, position: position,
      lost: lost + former.lost + Int64(former.frames))
  }

  /// The number of frames.
  public var frames: Int { storage.count / format.channels }
  /// The duration of the buffer.
  public var duration: Duration { format.duration(of: Int64(frames)) }
  /// The samples, ordered by frame, then by channel.
  public var samples: Span<Float> {
    @_lifetime(borrow self) get { storage.span }
  }
  /// A copy of the samples.
  public var array: [Float] { storage }
}
