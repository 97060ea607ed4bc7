internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// Why the writing of a take ended.
package enum WriteEnd: Hashable, Sendable {
  /// The capture ended, and all that it brought is in the file.
  case captureEnded
  /// An order ended it at a frame.
  case ordered
  /// It is as long as asked.
  case duration
  /// It is as large as asked.
  case size
  /// The file could not be written; the reason.
  case failed(String)
}

/// The body of the writing thread: ring → changes → file, with gaps filled, edits obeyed and all of it counted.
struct TakeWriter<File: TakeFile & ~Copyable, Converter: RateConverter & ~Copyable>: ~Copyable {
  var file: File
  var path: FramePath<Converter>
  var frames: SampleRing.Reader
  var gaps: SampleRing.Reader
  let link: CaptureLink
  let edits: EditQueue
  let board: ProgressBoard
  let input: StreamFormat
  private let limits: TakeLimits

  var position = 0
  var counts = Accounting()
  var gapsFound: [Gap] = []
  var pausedAt: FrameCount?
  private var due: [Edit] = []
  private var nextGap: GapRecord?
  var meter: LevelMeter
  let silence: [UInt8]
  var refreshed = KernelClock.monotonic.now

  /// How old the header may become.
  static var refreshInterval: Duration { .milliseconds(500) }
  private static var longestWait: Duration { .milliseconds(100) }

  init(
    _ file: consuming File, path: consuming FramePath<Converter>, input: StreamFormat,
    frames: consuming SampleRing.Reader, gaps: consuming SampleRing.Reader, link: CaptureLink,
    edits: EditQueue, board: ProgressBoard, limits: TakeLimits
  ) {
    meter = LevelMeter(file.stream.sample, channels: file.stream.channels)
    silence = Array(repeating: 0, count: FramePath<Converter>.blockSize * input.bytesPerFrame)
    self.file = file
    self.path = path
    self.frames = frames
    self.gaps = gaps
    self.link = link
    self.edits = edits
    self.board = board
    self.input = input
    self.limits = limits
  }

  /// Writes until the end, and hands over the file, which holds what is counted.
  consuming func run(_ finish: (consuming File, WriteEnd) -> Void) {
    let end = write()
    finish(file, end)
  }

  private mutating func write() -> WriteEnd {
    do {
      while true {
        if let end = try advance() {
          try close()
          return end
        }
        try refreshWhenDue()
        _ = try? link.arrival.descriptor.wait(upTo: Self.longestWait)
        link.arrival.clear()
      }
    } catch {
      publish()
      return .failed("\(error)")
    }
  }

  /// Does all that can be done now; returns why it was the last.
  private mutating func advance() throws(TakeFailure) -> WriteEnd? {
    while true {
      // Looked at before the fill: what the capture brought before it ended is seen after.
      let isLast = link.end != nil
      let available = position + frames.fill
      due += edits.claim(upTo: available)
      if nextGap == nil { nextGap = gaps.takeRecord() }
      let boundary = min(nextGap?.position ?? available, due.first?.position ?? available)
      if position < min(boundary, available) {
        if let end = try write(upTo: min(boundary, available)) { return end }
      } else if let gap = nextGap, gap.position == position {
        nextGap = nil
        try apply(gap, isFollowed: !isLast || frames.fill > 0)
      } else if let edit = due.first, edit.position == position {
        due.removeFirst()
        if apply(edit.action) { return .ordered }
      } else {
        publish()
        return isLast ? .captureEnded : nil
      }
    }
  }

  private mutating func write(upTo boundary: Int) throws(TakeFailure) -> WriteEnd? {
    var count = min(boundary - position, FramePath<Converter>.blockSize)
    if pausedAt == nil {
      if let end = limits.end(counts.onDisk, bytes: file.bytesWritten, &count, of: file.stream) {
        return end
      }
      let bytes = try Self.write(count, of: &frames, along: &path, to: &file, &meter)
      count = bytes / input.bytesPerFrame
    } else {
      count = frames.frames(upTo: count).byteCount / input.bytesPerFrame
      counts.discarded += FrameCount(count)
    }
    frames.release(count)
    position += count
    counts.captured += FrameCount(count)
    return nil
  }
}
