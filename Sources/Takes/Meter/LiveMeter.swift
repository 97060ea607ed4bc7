package import Audio
package import Control
internal import Devices
internal import Files
internal import Linux
internal import RealTime
package import Recording
internal import Synchronization

/// A meter that runs: a recording without a file.
package struct LiveMeter: Sendable {
  /// The engine: its threads capture and measure.
  package let recording: Recording
  /// The levels that have not been read yet.
  package let levels: MeterLevels
  /// The rate of the device.
  package let rate: SampleRate

  /// Starts the capture, with a recording's handling of devices that fail.
  ///
  /// - Parameters:
  ///   - plan: the device and the client; the output is not looked at.
  ///   - duration: the length of the run; nil until it is stopped.
  package init(
    _ plan: RecordingPlan, upTo duration: Duration?, _ guardian: PermissionGuard,
    unless stop: any StopRequest
  ) throws(TakeError) {
    let device = try DeviceOpening.open(
      plan.capture.device, TakeFormats.request(plan), unless: stop)
    // A second check, because the permission may have been revoked while the device was opened.
    try guardian.check(opened: device.setup.card)
    let format = device.format
    var settings = RecordingSettings()
    settings.limits = TakeLimits(frames: duration.map { FrameCount($0, at: format.rate) })
    let sink = MeterSink(format)
    levels = sink.levels
    rate = format.rate
    do throws(SystemError) {
      recording = try Recording(
        from: device, to: sink, converter: Resampler?.none, settings,
        files: TakeFiles { _, _, _ in }, reopen: { nil })
    } catch {
      throw .step(.listen, error)
    }
  }
}

/// The output of a meter: frames are measured and then dropped.
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

  func note(_ event: PlacedEvent) {}

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

/// The levels since the last reading; one thread adds, another takes.
package final class MeterLevels: Sendable {
  private struct Content {
    var level = Level.silence
    var channels: [Level]
    var windows: [Decibels] = []
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
    }
  }

  /// The highest levels since the last call, of all channels and of each.
  package func takeLevels() -> (all: Level, channels: [Level]) {
    content.withLock { content in
      defer {
        content.level = .silence
        content.channels = silence
      }
      return (content.level, content.channels)
    }
  }

  /// The levels of the 10 ms windows since the last call, measured as voice activation measures
  /// them.
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

/// The levels of a quiet room, and the thresholds that follow.
package struct Calibration: Equatable, Sendable {
  /// The capture device, as it was typed.
  package let device: String
  /// The time that was measured.
  package let length: Duration
  /// The number of windows of 10 ms that were captured.
  package let windows: Int
  /// The median level of the windows.
  package let usual: Decibels
  /// The highest level that lasted for as many windows as a sound must, to start a recording.
  package let loudest: Decibels

  /// The windows of the shortest sound: a shorter one is a click, which neither starts nor stops a
  /// recording.
  private static let shortestSound = 3

  /// The calibration of a device by the levels of its windows.
  package init(of device: String, hearing levels: [Decibels], for length: Duration) {
    self.device = device
    self.length = length
    windows = levels.count
    usual = levels.isEmpty ? .silence : levels.sorted()[levels.count / 2]
    let runs = levels.indices.dropLast(min(levels.count, Self.shortestSound - 1))
    loudest =
      runs.compactMap { levels[$0..<($0 + Self.shortestSound)].min() }.max() ?? .silence
  }

  /// The threshold: above the room by the variation of noise, and never below a converter's own
  /// noise.
  package var threshold: Decibels { Decibels(min(-5, max(-64, loudest.value.rounded(.up) + 2))) }

  /// The threshold to start: far enough above the other one that a faltering voice stays one take.
  package var start: Decibels { Decibels(threshold.value + 4) }

  /// True if a sound was captured that is not the room's noise.
  package var isRestless: Bool { loudest.value - usual.value > 15 && usual.value.isFinite }

  /// True if nothing but digital silence was captured, so that no threshold follows.
  package var isSilent: Bool { loudest == .silence }
}
