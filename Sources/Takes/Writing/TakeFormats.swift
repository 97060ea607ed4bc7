internal import Audio
package import Control
package import Devices
package import Files
internal import Recording

/// The formats of a take: the request to the device, and the format and the tracks of the file. The
/// format of the opened device determines the format of the file.
package struct TakeFormats {
  /// Returns the request to the device. It has the values of the plan, and defaults for values that
  /// the plan does not have.
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
  /// The tracks of the plan, with their channels in the frames of the device.
  let sources: [Track]
  /// The tracks of the plan, with their channels in the file. In a mix, tracks have no channels.
  let tracks: [Track]

  /// Derives the format of the file from the format of the device. Throws if the device has too few
  /// channels, or if the file format cannot store the stream.
  init(_ plan: RecordingPlan, device setup: StreamSetup) throws {
    let (capture, device) = (plan.capture, setup.format)
    let needed = capture.selection.max() ?? 1
    guard needed <= device.channels.value else {
      throw TakeError.channels(
        device: capture.device, .selected(needed), available: device.channels)
    }
    var selection = capture.selection.map { $0 - 1 }
    let groups = setup.groups.count > 1 ? setup.groups : [0..<device.channels.value]
    let mix = capture.mixes ? groups : []
    let wanted = Self.channels(of: groups, mix, device.channels, wished: capture.channels)
    if selection.isEmpty, mix.isEmpty, capture.channels == nil, wanted < device.channels {
      selection = Array(0..<wanted.value)
    }
    let isPossible = wanted <= device.channels || device.channels == .mono
    guard !selection.isEmpty || isPossible else {
      throw TakeError.channels(device: capture.device, .wanted(wanted), available: device.channels)
    }
    self.device = device
    changes = FrameChanges(selection: selection, mix: mix, gain: capture.gain)
    file = StreamFormat(
      rate: plan.output.format.rate(for: capture.rate ?? device.rate),
      channels: ChannelCount(selection.count) ?? wanted, sample: Self.sample(plan))
    sources = capture.tracks.filling(groups)
    tracks =
      capture.mixes
      ? capture.tracks
      : capture.tracks.filling(groups.count > 1 ? groups : [0..<file.channels.value])
    let format = plan.output.format
    let streams =
      plan.output.tracks.isEmpty ? [file] : tracks.map { stream(of: $0.channels) }
    for stream in streams { try format.checkRecording(of: stream) }
  }

  /// Returns the format of a file that contains these channels of the take, or all channels if
  /// `channels` is nil.
  func stream(of channels: Range<Int>?) -> StreamFormat {
    guard let channels, let count = ChannelCount(channels.count) else { return file }
    return StreamFormat(rate: file.rate, channels: count, sample: file.sample)
  }

  /// Returns the largest size of all files together, or nil if the file format has no size limit.
  func mostBytes(of plan: OutputPlan) -> Int64? {
    let widths = plan.tracks.isEmpty ? [] : tracks.compactMap { $0.channels?.count }
    guard let most = plan.format.mostBytes, let widest = widths.max() else {
      return plan.format.mostBytes
    }
    return most / Int64(widest) * Int64(widths.reduce(0, +))
  }

  /// Returns the number of channels of the file if no channels are selected. Devices of several
  /// tracks were opened with exactly the channels to record, so all of these channels are used.
  private static func channels(
    of groups: [Range<Int>], _ mix: [Range<Int>], _ device: ChannelCount, wished: ChannelCount?
  ) -> ChannelCount {
    if let widest = mix.map(\.count).max() { return ChannelCount(widest) ?? device }
    return groups.count > 1 ? device : wished ?? min(device, .stereo)
  }

  /// Returns a converter from the rate of the device to the rate of the file, or nil if the rates
  /// are equal.
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
