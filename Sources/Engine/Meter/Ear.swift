internal import Audio
internal import Linux
internal import RealTime
internal import Recording
internal import Synchronization
internal import Takes

/// The output of a meter: frames are measured and then dropped.
struct Ear: TakeFile, ~Copyable {
  typealias Failure = SystemError

  let stream: StreamFormat
  let memory: Memory
  private(set) var bytesWritten: Int64 = 0
  private var meter: LevelMeter
  private var windows: WindowLevels

  init(_ stream: StreamFormat) {
    self.stream = stream
    memory = Memory(channels: stream.channels)
    meter = LevelMeter(stream.sample, channels: stream.channels)
    windows = WindowLevels(stream)
  }

  mutating func write(_ frames: RawSpan) throws(SystemError) {
    meter.measure(frames)
    var levels = [Level](repeating: .silence, count: stream.channels.value)
    var span = levels.mutableSpan
    let level = meter.take(&span)
    memory.add(level, levels, windows(in: frames))
    bytesWritten += Int64(frames.byteCount)
  }

  mutating func refresh() {}

  func note(_ event: PlacedEvent) {}

  private mutating func windows(in frames: RawSpan) -> [Decibels] {
    var found: [Decibels] = []
    var rest = frames
    while rest.byteCount > 0 {
      let heard = windows.hear(rest)
      rest = rest.extracting((heard.frames * stream.bytesPerFrame)...)
      if let level = heard.level { found.append(level) }
    }
    return found
  }
}

extension Ear {
  /// The levels since the last reading; one thread adds, another takes.
  final class Memory: Sendable {
    private struct Content {
      var level = Level.silence
      var channels: [Level]
      var windows: [Decibels] = []
    }

    private let content: Mutex<Content>
    private let silence: [Level]

    init(channels: ChannelCount) {
      silence = Array(repeating: .silence, count: channels.value)
      content = Mutex(Content(channels: silence))
    }

    func add(_ level: Level, _ channels: [Level], _ windows: [Decibels]) {
      content.withLock { content in
        content.level.louden(to: level)
        for index in channels.indices { content.channels[index].louden(to: channels[index]) }
        content.windows += windows
      }
    }

    /// The highest levels since the last call, of all channels and of each.
    func takeLevels() -> (all: Level, channels: [Level]) {
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
    func takeWindows() -> [Decibels] {
      content.withLock { content in
        defer { content.windows = [] }
        return content.windows
      }
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
