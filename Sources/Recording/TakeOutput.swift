internal import Audio
internal import Linux
internal import RealTime

/// The output of a take. It converts, writes and measures the device's frames.
struct TakeOutput<File: TakeFile & ~Copyable, Converter: RateConverter & ~Copyable>: ~Copyable {
  private(set) var file: File
  /// The previous file, while the rate converter still holds frames for it.
  private var former = FormerFile<File>()
  /// Whether frames still go to the previous file.
  private(set) var isCutting = false
  private var path: FramePath<Converter>
  private var meter: LevelMeter
  private let input: StreamFormat
  private let monitor: (any TakeMonitor)?
  /// A block of silence. It is empty until silence is first written.
  private var silence: [UInt8] = []
  /// The number of frames produced, at the file's rate.
  private(set) var produced = 0
  private var isMeasured = false
  private var refreshed = KernelClock.monotonic.now

  /// The minimum time between two rewrites of the header when no frame waits. It is shorter than a
  /// rest of the capture (`CaptureRest`). So the frames that gather in a rest are readable as soon
  /// as they are written.
  static var refreshInterval: Duration { .milliseconds(350) }
  /// The minimum time between two rewrites of the header while frames are always waiting.
  static var longestUnrefreshed: Duration { .milliseconds(700) }

  init(
    _ file: consuming File, _ path: consuming FramePath<Converter>, from input: StreamFormat,
    monitor: (any TakeMonitor)? = nil
  ) {
    meter = LevelMeter(file.stream.sample, channels: file.stream.channels)
    self.input = input
    self.monitor = monitor
    self.file = file
    self.path = path
  }

  /// Continues in another file from the frame `boundary` on. This frame is at most a few
  /// milliseconds after the last frame that was produced.
  mutating func cut(at boundary: Int, to next: consuming File, closing segment: TakeSegment) {
    former = FormerFile(exchange(&file, with: next), segment, upTo: boundary)
    isCutting = true
  }

  /// Returns the previous file once it has all of its frames, or nil before that. If `isOver` is
  /// true, returns the file with the frames that it has.
  mutating func takeFormer(isOver: Bool = false) -> (file: Handoff<File>, segment: TakeSegment)? {
    let taken = former.take(after: isOver ? .max : produced)
    isCutting = isCutting && taken == nil
    return taken
  }

  /// The maximum number of frames for one call of `write`. While a monitor listens, this is one
  /// block, so that the monitor gets short blocks.
  var longest: Int {
    monitor?.isListening == true ? FramePath<Converter>.blockSize : path.longest
  }

  /// Writes at most `longest` of the device's frames.
  mutating func write(_ frames: RawSpan) throws(TakeFailure) {
    _ = try Self.put(try path.change(frames), into: &file, &former, &meter, &produced, monitor)
    isMeasured = true
  }

  /// Writes at most a block of silence.
  mutating func writeSilence(_ count: Int) throws(TakeFailure) {
    if silence.isEmpty {
      silence = Array(repeating: 0, count: FramePath<Converter>.blockSize * input.bytesPerFrame)
    }
    let silence = silence
    let bytes = unsafe silence.span.bytes.extracting(..<(count * input.bytesPerFrame))
    _ = try Self.put(try path.change(bytes), into: &file, &former, &meter, &produced, monitor)
    isMeasured = true
  }

  /// Writes the frames that the rate converter still holds.
  mutating func drain() throws(TakeFailure) {
    while try Self.put(try path.drain(), into: &file, &former, &meter, &produced, monitor) {
      isMeasured = true
    }
  }

  /// Makes the file readable up to its current end, if the last rewrite of the header is at least
  /// `age` ago. Returns true if the header was rewritten.
  mutating func refresh(after age: Duration) throws(TakeFailure) -> Bool {
    let now = KernelClock.monotonic.now
    guard now - refreshed >= age else { return false }
    refreshed = now
    do {
      try file.refresh()
    } catch {
      throw TakeFailure(error)
    }
    return true
  }

  /// Returns the levels since the last call, for all channels together and for each, or nil if
  /// nothing was written.
  mutating func takeLevels() -> (all: Level, channels: [Level])? {
    if !isMeasured { return nil }
    isMeasured = false
    var channels = [Level](repeating: .silence, count: file.stream.channels.value)
    var room = channels.mutableSpan
    let all = meter.take(&room)
    return (all, channels)
  }

  /// Passes the file to `body`.
  consuming func finish(_ body: (consuming File) -> Void) { body(file) }

  // The properties are passed separately, so that a span of `path` does not block access to the
  // other properties.
  private static func put(
    _ frames: RawSpan, into file: inout File, _ former: inout FormerFile<File>,
    _ meter: inout LevelMeter, _ produced: inout Int, _ monitor: (any TakeMonitor)?
  ) throws(TakeFailure) -> Bool {
    if frames.byteCount == 0 { return false }
    let size = file.stream.bytesPerFrame
    do {
      let past = try former.write(frames, from: produced, size)
      if past < frames.byteCount { try file.write(frames.extracting(past...)) }
    } catch {
      throw TakeFailure(error)
    }
    meter.measure(frames)
    monitor?.take(frames, of: file.stream, at: produced)
    produced += frames.byteCount / size
    return true
  }
}

/// The previous file, until it has its last frame. Usually, there is no previous file.
private struct FormerFile<File: TakeFile & ~Copyable>: ~Copyable {
  private var file: File?
  private let segment: TakeSegment?
  /// The position in the take of the first frame after this file.
  private let boundary: Int

  init() {
    file = nil
    segment = nil
    boundary = 0
  }

  init(_ file: consuming File, _ segment: TakeSegment, upTo boundary: Int) {
    self.file = .some(file)
    self.segment = segment
    self.boundary = boundary
  }

  /// Writes the frames that belong to this file, and returns their size in bytes. `first` is the
  /// position of the first frame of `frames` in the take.
  mutating func write(_ frames: RawSpan, from first: Int, _ size: Int) throws(File.Failure) -> Int {
    let bytes = min(max(0, boundary - first) * size, frames.byteCount)
    if bytes > 0 { try file?.write(frames.extracting(..<bytes)) }
    return file == nil ? 0 : bytes
  }

  /// Returns the file once all of its frames are produced, or nil before that.
  mutating func take(after produced: Int) -> (file: Handoff<File>, segment: TakeSegment)? {
    guard produced >= boundary, let segment, let file = file.take() else { return nil }
    self = FormerFile()
    return (Handoff(file), segment)
  }
}
