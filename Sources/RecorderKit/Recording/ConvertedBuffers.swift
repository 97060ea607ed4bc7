internal import Audio
internal import Files
internal import Recording
internal import Takes

/// The frames of a recording in another format. `Take.buffers(as:)` creates it.
public struct ConvertedBuffers: AsyncSequence, Sendable {
  public typealias Failure = RecorderError
  let source: Updates<AudioBuffer>
  let format: AudioFormat

  /// Starts to listen.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source.makeAsyncIterator(), format)
  }

  /// One listener.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var source: Updates<AudioBuffer>.AsyncIterator
    private let format: AudioFormat
    private var conversion: BufferConversion?

    fileprivate init(_ source: Updates<AudioBuffer>.AsyncIterator, _ format: AudioFormat) {
      (self.source, self.format) = (source, format)
    }

    /// Returns the next buffer, or nil after the end and in a cancelled task.
    ///
    /// A listener that is more than a few seconds late misses the oldest sound: `lost` of the next
    /// buffer is the number of missed frames, at the rate of the converted buffers.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RecorderError) -> AudioBuffer? {
      while let buffer = await source.next(isolation: actor) {
        let current: BufferConversion
        if let conversion, buffer.lost == 0 {
          current = conversion
        } else {
          current = try BufferConversion(from: buffer, to: format, after: conversion)
          conversion = current
        }
        if let converted = try translated({ try current.convert(buffer) }) { return converted }
      }
      let last = conversion.take()
      return Task.isCancelled ? nil : try translated { try last?.drain() }
    }
  }
}

/// The conversion of buffers without a gap between them.
private final class BufferConversion {
  private var conversion: FrameConversion<Resampler>
  private let format: AudioFormat
  /// The position of the next converted frame.
  private var next: Int64
  /// The number of frames that are missing before the next converted frame.
  private var lost: Int64

  /// - Parameter former: the conversion of the buffers before the gap, or nil for the first buffer.
  init(
    from buffer: AudioBuffer, to format: AudioFormat, after former: BufferConversion?
  ) throws(RecorderError) {
    let (input, output) = (try buffer.format.stream, try format.stream)
    guard output.channels <= input.channels || input.channels == .mono else {
      throw .format("\(output.channels)", alternatives: ["1 to \(input.channels)"])
    }
    func converted(_ frames: Int64) -> Int64 {
      FrameCount(frames).converted(from: input.rate, to: output.rate).value
    }
    self.format = format
    next = converted(buffer.position)
    lost = former.map { [next] in max(0, next - $0.next) } ?? converted(buffer.lost)
    var resampler: Resampler?
    if input.rate != output.rate {
      resampler = try translated {
        try Resampler(from: input.rate, to: output.rate, channels: output.channels)
      }
    }
    conversion = FrameConversion(from: input, to: output, converter: resampler)
  }

  /// Returns the converted frames, or nil if the resampler still contains all of them.
  func convert(_ buffer: AudioBuffer) throws -> AudioBuffer? {
    self.buffer(try conversion.convert(unsafe buffer.bytes.span.bytes))
  }

  /// Returns the frames that the resampler still contains, or nil if there are none.
  func drain() throws -> AudioBuffer? { buffer(try conversion.drain()) }

  private func buffer(_ bytes: [UInt8]) -> AudioBuffer? {
    if bytes.isEmpty { return nil }
    let buffer = AudioBuffer(
      bytes: unsafe bytes.span.bytes, format: format, position: next, lost: lost)
    (next, lost) = (next + Int64(buffer.frameCount), 0)
    return buffer
  }
}
