internal import Audio
internal import RealTime

/// The rate, the channels and the sample format of sound.
public struct AudioFormat: Hashable, Sendable {
  /// The format of one sample. Samples are little-endian.
  public enum SampleFormat: Hashable, Sendable, CaseIterable {
    /// Signed integers of 16, 24 and 32 bits. An `int24Packed` takes three bytes, an `int24` takes
    /// four.
    case int16, int24Packed, int24, int32
    /// Floating-point numbers from −1 to 1.
    case float32, float64
  }

  /// The number of frames per second.
  public var sampleRate: Int
  /// The number of channels.
  public var channelCount: Int
  /// The sample format.
  public var sampleFormat: SampleFormat

  /// Creates a format. The default sample format is 16-bit integers.
  public init(sampleRate: Int, channelCount: Int, sampleFormat: SampleFormat = .int16) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.sampleFormat = sampleFormat
  }
}

extension AudioFormat {
  /// Returns the duration of a number of frames.
  public func duration(of frames: Int64) -> Duration {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(max(1, sampleRate)))
    return .seconds(seconds) + .seconds(Double(rest) / Double(max(1, sampleRate)))
  }
}

/// Immutable sound: frames of interleaved samples.
public struct AudioBuffer: Sendable {
  /// The rate, the channels and the sample format of `bytes`.
  public let format: AudioFormat
  /// The position of the first frame in the stream. Lost frames count as frames of the stream.
  public let position: Int64
  /// The number of frames that are missing directly before this buffer, because they were lost or
  /// the listener was too slow.
  public let lost: Int64
  private let floats: [Float]
  /// The samples in the format, or nil if they have to be converted from `floats`.
  private let encoded: [UInt8]?

  /// Creates a buffer from samples; full scale is 1. An incomplete last frame is dropped.
  public init(_ samples: [Float], format: AudioFormat, position: Int64 = 0, lost: Int64 = 0) {
    let extra = samples.count % max(1, format.channelCount)
    self.init(extra == 0 ? samples : samples.dropLast(extra), nil, format, position, lost)
  }

  /// Creates a buffer with a copy of samples in the sample format of `format`. An incomplete last
  /// frame is dropped.
  public init(bytes: RawSpan, format: AudioFormat, position: Int64 = 0, lost: Int64 = 0) {
    let sample = Audio.SampleFormat(format.sampleFormat)
    let size = sample.bytesPerSample * max(1, format.channelCount)
    let whole = bytes.extracting(first: bytes.byteCount / size * size)
    let floats: [Float] = SampleConversion(from: sample, to: .float32).converted(whole)
    let encoded = sample == .float32 ? nil : unsafe whole.withUnsafeBytes { unsafe [UInt8]($0) }
    self.init(floats, encoded, format, position, lost)
  }

  private init(
    _ floats: [Float], _ encoded: [UInt8]?, _ format: AudioFormat, _ position: Int64, _ lost: Int64
  ) {
    var format = format
    format.channelCount = max(1, format.channelCount)
    self.format = format
    (self.position, self.lost, self.floats, self.encoded) = (position, lost, floats, encoded)
  }

  /// Returns a copy whose `lost` includes the frames of `former`, the buffer directly before this
  /// one. The copy is for a listener that missed `former`.
  func following(missed former: AudioBuffer) -> AudioBuffer {
    AudioBuffer(floats, encoded, format, position, lost + former.lost + Int64(former.frameCount))
  }
}

extension AudioBuffer {
  /// The number of frames.
  public var frameCount: Int { floats.count / format.channelCount }
  /// The duration of the buffer.
  public var duration: Duration { format.duration(of: Int64(frameCount)) }

  /// The samples as `Float`, ordered by frame, then by channel; full scale is 1.
  public var samples: Span<Float> {
    @_lifetime(borrow self) get { floats.span }
  }

  /// The samples in the sample format of `format`, ordered by frame, then by channel.
  ///
  /// In a buffer that was created from `Float` samples, the bytes have the precision of `Float`.
  public var bytes: [UInt8] {
    if let encoded { return encoded }
    let sample = Audio.SampleFormat(format.sampleFormat)
    return SampleConversion(from: .float32, to: sample).converted(unsafe floats.span.bytes)
  }
}

extension [Float] {
  /// Creates an array of the samples of a buffer, or of any other samples.
  public init(_ samples: Span<Float>) {
    self = unsafe samples.withUnsafeBufferPointer { unsafe [Float]($0) }
  }
}
