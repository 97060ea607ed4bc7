internal import Audio
internal import Files
internal import Linux
internal import RealTime
internal import Synchronization

/// The writer of one file. The file contains a whole take or one track.
final class TrackWriter: Sendable {
  private struct State: ~Copyable {
    var writer: SoundFileWriter?
    /// The buffer for the selected samples of the track.
    var samples: [UInt8] = []
  }

  let settings: SoundFileSettings
  let file: CheckedFile
  /// The digest by which retention recognizes the file, or nil without retention.
  let digest: WrittenDigest?
  /// The selection of the track's channels, or nil for all channels.
  private let map: ChannelMap?
  private let state: Mutex<State>

  /// Starts the file.
  ///
  /// - Parameters:
  ///   - channels: the channels of the track in the frames of the take, or nil for all.
  ///   - stream: the format of these frames.
  init(
    _ file: CheckedFile, _ settings: SoundFileSettings, _ digest: WrittenDigest?,
    _ channels: Range<Int>?, of stream: StreamFormat
  ) throws(SoundFileError) {
    self.file = file
    self.settings = settings
    self.digest = digest
    map = channels.flatMap { ChannelMap(selecting: Array($0), of: stream.channels) }
    let writer = try SoundFileWriter(file, settings)
    state = Mutex(State(writer: .some(writer)))
  }

  /// Writes the track's samples from these whole frames of the take.
  func write(_ frames: RawSpan) throws(SoundFileError) {
    let (map, sample) = (map, settings.stream.sample)
    try state.withLock { state throws(SoundFileError) in
      try Self.write(frames, map, sample, &state.samples, to: &state.writer)
    }
  }

  private static func write(
    _ frames: RawSpan, _ map: ChannelMap?, _ sample: SampleFormat, _ samples: inout [UInt8],
    to writer: inout SoundFileWriter?
  ) throws(SoundFileError) {
    guard let map else {
      try writer?.write(frames, of: sample)
      return
    }
    let size = frames.byteCount / map.sources.value * map.targets.value
    if samples.count < size { samples = Array(repeating: 0, count: size) }
    map.select(frames, bytesPerSample: sample.bytesPerSample, into: &samples)
    try writer?.write(unsafe samples.span.bytes.extracting(..<size), of: sample)
  }

  /// Makes the written frames readable, if the format allows it.
  func updateHeader() throws(SoundFileError) {
    _ = try state.withLock { state throws(SoundFileError) in try state.writer?.updateHeader() }
  }

  /// Closes the file. After this call, nothing more is written to it.
  func close(cues: [SoundFileCue]) throws(SoundFileError) {
    guard let writer = state.withLock({ $0.writer.take() }) else { return }
    try writer.close(cues: cues)
  }
}

extension ChannelMap {
  fileprivate func select(_ frames: RawSpan, bytesPerSample: Int, into samples: inout [UInt8]) {
    var room = samples.mutableSpan
    var target = unsafe room.mutableBytes
    select(from: frames, bytesPerSample: bytesPerSample, into: &target)
  }
}
