internal import Audio
package import Control
package import Devices
package import Files
internal import Recording

/// The formats of a take: the request to the device, and the format of the file, derived from the
/// device's format.
package struct TakeFormats {
  /// Returns the request to the device: the values in the plan, and defaults for the others.
  package static func request(_ plan: RecordingPlan) -> DeviceRequest {
    let capture = plan.capture
    let most = capture.selection.max().flatMap { ChannelCount($0) }
    let channels = [most, capture.channels].compactMap(\.self).max()
    return DeviceRequest(
      rate: .near(capture.rate ?? .hz48000), channels: .near(channels ?? .stereo),
      sample: .near(sample(plan)), period: capture.period, buffer: capture.buffer)
  }

  /// Returns the sample format of the file.
  private static func sample(_ plan: RecordingPlan) -> SampleFormat {
    plan.output.sample ?? plan.output.format.samples.first ?? .int16
  }

  let device: StreamFormat
  let file: StreamFormat
  let changes: FrameChanges

  /// Derives the file's format from the device's. Throws if the device has too few channels or the
  /// file format cannot hold the stream.
  init(_ plan: RecordingPlan, device: StreamFormat) throws {
    let capture = plan.capture
    let needed = capture.selection.max() ?? 1
    guard needed <= device.channels.value else {
      throw TakeError.channels(
        device: capture.device, .selected(needed), available: device.channels)
    }
    var selection = capture.selection.map { $0 - 1 }
    let wanted = capture.channels ?? min(device.channels, .stereo)
    if selection.isEmpty, capture.channels == nil, wanted < device.channels {
      selection = Array(0..<wanted.value)
    }
    let isPossible = wanted <= device.channels || device.channels == .mono
    guard !selection.isEmpty || isPossible else {
      throw TakeError.channels(device: capture.device, .wanted(wanted), available: device.channels)
    }
    self.device = device
    changes = FrameChanges(selection: selection, gain: capture.gain)
    file = StreamFormat(
      rate: plan.output.format.rate(for: capture.rate ?? device.rate),
      channels: ChannelCount(selection.count) ?? wanted, sample: Self.sample(plan))
    let format = plan.output.format
    try format.check(file)
    guard file.channels.value <= format.mostRecordedChannels else {
      throw SoundFileError.unsupported(format, .channels(file.channels))
    }
  }

  /// Returns a converter between the two rates, or nil if they are equal.
  func converter() throws -> Resampler? {
    guard device.rate != file.rate else { return nil }
    return try Resampler(from: device.rate, to: file.rate, channels: file.channels)
  }
}

extension Resampler: RateConverter {
  /// Converts as many frames as `output` has room for.
  package mutating func convert(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(ResamplerError) -> (consumed: Int, produced: Int) {
    let progress = try process(input, into: &output)
    return (progress.consumed, progress.produced)
  }

  /// Fills `output` with the remaining frames.
  package mutating func drain(into output: inout MutableSpan<Float>) throws(ResamplerError) -> Int {
    try flush(into: &output)
  }
}
