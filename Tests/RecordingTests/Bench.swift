import Audio
import Linux
import RealTime
import Synchronization

@testable import Recording

/// Runs the capture and the writer of a recording one after the other, without threads and without
/// real time.
final class Bench: Sendable {
  struct Result {
    var numbers: [UInt32]
    var progress: TakeProgress
    var events: [PositionedEvent]
    var capture: CaptureEnd
    var write: WriteEnd
    /// The files of the take, each with its counts.
    var files: [Piece]
  }

  /// One file of a take.
  struct Piece: Sendable {
    var numbers: [UInt32]
    var segment: TakeSegment
  }

  let state: CaptureState
  let edits = EditQueue()
  let board = ProgressBoard()
  let clock = FakeClock()

  init() throws { state = try CaptureState(Timeline(clock, at: .hz48000)) }

  /// Gives an order at the frame that is captured now.
  func order(_ action: Edit.Action) {
    edits.add(action, at: state.captured.load(ordering: .relaxed))
  }

  /// Runs the script, then stops. `capacity` is the number of bytes for which the disk has room.
  /// `reopen` returns the device that comes back, or nil if there is none.
  func run(
    _ steps: [FakeSource.Step], countsLostFrames: Bool = true, period: FrameCount = 4_800,
    ring: Int = 1_000_000,
    gapRecords: Int = 256, tracks: [Track] = [], limits: TakeLimits = .init(),
    voice: VoiceSettings = .init(), capacity: Int = .max, rate: SampleRate = .hz48000,
    content: @escaping @Sendable (Int) -> UInt32 = { UInt32($0 + 1) }, patience: Duration? = nil,
    monitor: (any TakeMonitor)? = nil,
    reopen: @escaping @Sendable (FakeSource.Script) -> FakeSource? = { _ in nil }
  ) -> Result {
    let script = FakeSource.Script(
      steps + [.act { self.state.stop() }], clock: clock, rate: rate, content: content)
    var source = FakeSource(script)
    source.countsLostFrames = countsLostFrames
    source.period = period
    source.capacity = FrameCount(5 * period.value)
    let input = source.format
    let contents = MemoryFile.Contents()
    let pieces = Pieces()
    var frames = SampleRing(capacity: FrameCount(ring), bytesPerFrame: 4)
    var gaps = SampleRing(capacity: FrameCount(gapRecords), bytesPerFrame: GapRecord.bytes)
    var file = MemoryFile(stream: input, contents: contents)
    file.capacity = capacity
    let path = FramePath(from: input, to: input, .init(), converter: NoConverter?.none, seed: 1)
    let capture = CaptureLoop(
      source, frames: frames.writer(), gaps: gaps.writer(), state: state, patience: patience,
      clock: clock, reopen: { reopen(script) })
    let writer = TakeWriter(
      file, path: path, input: input,
      from: IncomingFrames(frames.reader(), gaps: gaps.reader(), edits: edits, state: state),
      state: state, board: board, tracks: tracks, limits: limits, voice: voice,
      files: TakeFiles(
        next: { _, _ in MemoryFile(stream: input, contents: MemoryFile.Contents()) },
        complete: { file, segment, _ in pieces.add(file.contents.numbers, segment) }),
      monitor: monitor)
    SharedCapture(capture, state, clock: clock).run()
    var ending = WriteEnd.captureEnded
    writer.run { file, segment, end in
      ending = end
      pieces.add(file.contents.numbers, segment)
    }
    return Result(
      numbers: pieces.all.flatMap(\.numbers), progress: board.snapshot(),
      events: board.takeEvents(),
      capture: state.report?.end ?? .stopped, write: ending, files: pieces.all)
  }
}

/// The files that a writer has completed, in order.
private final class Pieces: Sendable {
  private let pieces = Mutex<[Bench.Piece]>([])

  var all: [Bench.Piece] { pieces.withLock { $0 } }

  func add(_ numbers: [UInt32], _ segment: TakeSegment) {
    pieces.withLock { $0.append(Bench.Piece(numbers: numbers, segment: segment)) }
  }
}
