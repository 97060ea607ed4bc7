package import Audio
package import Control
internal import Devices
internal import Files
internal import Linux
internal import RealTime
package import Recording
internal import Synchronization

/// A running meter: a recording without a file.
package struct LiveMeter: Sendable {
  /// The recording, whose threads capture and measure.
  package let recording: Recording
  /// The levels that were not read yet.
  package let levels: MeterLevels
  /// The sample rate of the device.
  package let rate: SampleRate

  /// Opens the device and starts the capture. A device that fails is handled as in a recording, but
  /// it is not reopened.
  ///
  /// - Parameters:
  ///   - plan: the device and the client. The output is ignored.
  ///   - duration: the length of the measurement, or nil to measure until the meter is stopped.
  package init(
    _ plan: RecordingPlan, upTo duration: Duration?, _ watch: AccessWatch,
    unless stop: any StopRequest
  ) throws {
    let device = try DeviceOpening.open(
      plan.capture.tracks, TakeFormats.request(plan), unless: stop)
    // Check again, because the permission may have been revoked while the device was being opened.
    try watch.check(opened: device)
    let format = device.format
    var settings = RecordingSettings()
    settings.limits = TakeLimits(frames: duration.map { FrameCount($0, at: format.rate) })
    let sink = MeterSink(format)
    levels = sink.levels
    rate = format.rate
    recording = try Recording(
      from: device, to: sink, converter: Resampler?.none, settings,
      files: TakeFiles { _, _, _ in }, reopen: { nil })
  }
}

/// The sink of a meter, which measures frames and drops them.
private struct MeterSink: TakeFile, ~Copyable {
  typealias Failure = SystemError

  let stream: StreamFormat
  let levels: MeterLevels
  private(set) var bytesWritten: Int64 = 0
  private var meter: LevelMeter
  private var windows: WindowLevels

  init(_ stream: StreamFormat) {
    self.stream = stream
    levels = MeterLevels(channels: stream.channels)
    meter = LevelMeter(stream.sample, channels: stream.channels)
    windows = WindowLevels(stream)
  }

  mutating func write(_ frames: RawSpan) throws(SystemError) {
    meter.measure(frames)
    var channels = [Level](repeating: .silence, count: stream.channels.value)
    var span = channels.mutableSpan
    let level = meter.take(&span)
    levels.add(level, channels, windows(in: frames))
    bytesWritten += Int64(frames.byteCount)
  }

  mutating func refresh() {}

  func note(_ event: PositionedEvent) {}

  private mutating func windows(in frames: RawSpan) -> [Decibels] {
    var found: [Decibels] = []
    var rest = frames
    while rest.byteCount > 0 {
      let step = windows.measure(rest)
      rest = rest.extracting((step.frames * stream.bytesPerFrame)...)
      if let level = step.level { found.append(level) }
    }
    return found
  }
}

/// The levels since the last read. One thread adds levels, another takes them.
package final class MeterLevels: Sendable {
  private struct Content {
    var level = Level.silence
    var channels: [Level]
    var windows: [Decibels] = []
    var isNew = false
  }

  private let content: Mutex<Content>
  private let silence: [Level]

  fileprivate init(channels: ChannelCount) {
    silence = Array(repeating: .silence, count: channels.value)
    content = Mutex(Content(channels: silence))
  }

  fileprivate func add(_ level: Level, _ channels: [Level], _ windows: [Decibels]) {
    content.withLock { content in
      content.level.louden(to: level)
      for index in channels.indices { content.channels[index].louden(to: channels[index]) }
      content.windows += windows
      content.isNew = true
    }
  }

  /// Whether levels were added since the last call of `takeLevels`.
  package var areNew: Bool { content.withLock { $0.isNew } }

  /// Returns the highest levels since the last call, of all channels together and of each channel.
  package func takeLevels() -> (all: Level, channels: [Level]) {
    content.withLock { content in
      defer {
        content.level = .silence
        content.channels = silence
        content.isNew = false
      }
      return (content.level, content.channels)
    }
  }

  /// Returns the levels of the 10 ms windows since the last call, measured as in voice activation.
  package func takeWindows() -> [Decibels] {
    content.withLock { content in
      defer { content.windows = [] }
      return content.windows
    }
  }
}

extension Level {
  fileprivate mutating func louden(to other: Level) {
    peak = max(peak, other.peak)
    rms = max(rms, other.rms)
    clipped += other.clipped
  }
}

/// The levels of a quiet room, and the thresholds derived from them.
package struct Calibration: Equatable, Sendable {
  /// The capture device, as the user typed it.
  package let device: String
  /// The length of the measurement.
  package let length: Duration
  /// The number of 10 ms windows that were captured.
  package let windows: Int
  /// The median level of the windows.
  package let usual: Decibels
  /// The highest level that lasted for `shortestSound` windows.
  package let loudest: Decibels

  /// The number of windows of the shortest sound. A shorter sound is a click, which neither starts
  /// a recording nor ends a silence.
  private static let shortestSound = 3

  /// The calibration of a device from the levels of its windows.
  package init(of device: String, hearing levels: [Decibels], for length: Duration) {
    self.device = device
    self.length = length
    windows = levels.count
    usual = levels.isEmpty ? .silence : levels.sorted()[levels.count / 2]
    let runs = levels.indices.dropLast(min(levels.count, Self.shortestSound - 1))
    loudest =
      runs.compactMap { levels[$0..<($0 + Self.shortestSound)].min() }.max() ?? .silence
  }

  /// The threshold: 2 dB above the room's noise, because noise varies. It is at least −64 dB, the
  /// noise of a converter, and at most −5 dB.
  package var threshold: Decibels { Decibels(min(-5, max(-64, loudest.value.rounded(.up) + 2))) }

  /// The threshold for a start. It is 4 dB above `threshold`, so that a voice that becomes a little
  /// quieter after the start does not count as silence.
  package var start: Decibels { Decibels(threshold.value + 4) }

  /// Whether the measurement contains a sound other than the room's noise.
  package var isRestless: Bool { loudest.value - usual.value > 15 && usual.value.isFinite }

  /// Whether only digital silence was captured, so that no threshold can be derived.
  package var isSilent: Bool { loudest == .silence }
}
