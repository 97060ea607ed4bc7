package import Audio
internal import Files
internal import Recording

/// The conversion of the frames of a tap to another format.
///
/// After a gap the conversion starts again, so that a rate converter does not mix the frames before
/// and after the gap.
package struct TapConversion: ~Copyable {
  private let input: StreamFormat
  private let output: StreamFormat
  private var conversion: FrameConversion<Resampler>?

  /// - Parameter output: has at most as many channels as `input`, unless `input` is mono.
  package init(from input: StreamFormat, to output: StreamFormat) {
    (self.input, self.output) = (input, output)
  }

  /// Returns the converted frames. A rate converter keeps the last frames for the next call.
  ///
  /// - Parameter isAfterGap: true if frames are missing before these frames.
  package mutating func convert(_ bytes: [UInt8], afterGap isAfterGap: Bool) throws -> [UInt8] {
    var result = isAfterGap ? try drain() : []
    if conversion == nil { conversion = try begin() }
    result += try conversion?.convert(unsafe bytes.span.bytes) ?? []
    return result
  }

  /// Returns the frames that the rate converter has kept.
  package mutating func drain() throws -> [UInt8] {
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
