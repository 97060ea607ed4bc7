package import Audio
internal import Files
internal import Recording

/// The conversion of the frames of a tap to another format, with a count of the missing frames.
///
/// After a gap the conversion starts again, so that a rate converter does not join the frames on
/// both sides.
package struct TapConversion: ~Copyable {
  private let input: StreamFormat
  private let output: StreamFormat
  private var conversion: FrameConversion<Resampler>?
  /// The position after the last frame, or nil before the first one.
  private var end: FrameCount?
  /// The position of the first frame, or nil before it.
  package private(set) var first: FrameCount?
  /// The number of received frames, at the rate of the take.
  package private(set) var frames: FrameCount = 0
  /// The number of frames that this reader missed, at the rate of the take.
  package private(set) var lost: FrameCount = 0

  /// - Parameter output: has at most as many channels as `input`, unless `input` is mono.
  package init(from input: StreamFormat, to output: StreamFormat) {
    (self.input, self.output) = (input, output)
  }

  /// Returns the converted frames. A rate converter keeps the last frames for the next call.
  package mutating func convert(
    _ bytes: [UInt8], at position: FrameCount
  ) throws -> [UInt8] {
    var result = pass(position) ? try drain() : []
    if conversion == nil { conversion = try begin() }
    first = first ?? position
    let count = FrameCount(bytes.count / input.bytesPerFrame)
    frames += count
    end = position + count
    result += try conversion?.convert(unsafe bytes.span.bytes) ?? []
    return result
  }

  /// Returns the remaining frames at the end.
  ///
  /// - Parameter position: the end of the frames that were sent or missed, or nil if it is unknown.
  package mutating func finish(at position: FrameCount?) throws -> [UInt8] {
    if let position { pass(position) }
    return try drain()
  }

  /// Counts the missing frames before `position`. Returns whether there are any.
  @discardableResult
  package mutating func pass(_ position: FrameCount) -> Bool {
    guard let before = end, position > before else { return false }
    lost += position - before
    end = position
    return true
  }

  private mutating func drain() throws -> [UInt8] {
    defer { conversion = nil }
    return try conversion?.drain() ?? []
  }

  private func begin() throws -> FrameConversion<Resampler> {
    var resampler: Resampler?
    if input.rate != output.rate {
      resampler = try Resampler(from: input.rate, to: output.rate, channels: output.channels)
    }
    return FrameConversion(from: input, to: output, converter: resampler)
  }
}
