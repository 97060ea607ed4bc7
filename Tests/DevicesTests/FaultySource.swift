import Audio
import Glibc
import Support
import Synchronization

@testable import Devices

/// A built-in device that fails when a test wants it to.
struct FaultySource: FrameSource, ~Copyable {
  struct Fault: StreamFailure { var condition: StreamCondition }

  /// A position that moves in steps of several frames.
  struct Steps: Sendable {
    enum Stamp: Sendable {
      /// The time of the call, as on a card whose pointer moves without an interrupt.
      case late
      /// The time of the call, or the time of the last step if `lastStep` is called, as on a card
      /// whose pointer also moves without an interrupt.
      case both
      /// The time of the last step, as on a card with an interrupt for each step.
      case exact
      /// The time of the call, with a delay that also counts the frames since the last step, as of a
      /// plugin.
      case delayed
    }

    var frames: Int
    var stamp: Stamp
  }

  /// The state that the test and the device share.
  final class Control: Sendable {
    /// The failure of the next calls, or nil if they succeed.
    let fault = Mutex<StreamCondition?>(nil)
    /// Whether only a read reports the failure.
    let isFaultHidden = Mutex(false)
    /// Whether the device can be restarted.
    let recovers = Mutex(true)
    /// Whether the device can be opened again.
    let isBack = Mutex(false)
    /// Whether the device delivers nothing, without a failure.
    let isStuck = Mutex(false)
    /// Whether the device was closed, and the thread that did it.
    let isClosed = Mutex(false)
    let closer = Mutex<pthread_t?>(nil)
    /// The tracks that were silenced.
    let silenced = Mutex(TrackSet())
    /// The time of the device's frame 0.
    let started = Mutex(Duration.zero)
    /// The steps of the position, or nil if it counts every frame.
    let steps: Steps?
    /// The size of the buffer, or nil for that of the built-in device.
    let buffer: FrameCount?
    /// The end of the device waits at this gate.
    let end: Gate?

    init(steps: Steps? = nil, buffer: FrameCount? = nil, end: Gate? = nil) {
      (self.steps, self.buffer, self.end) = (steps, buffer, end)
    }
  }

  private var source: WaveCapture<StepClock>
  private let clock: StepClock
  private let control: Control
  /// The number of frames that were read or lost.
  private var position = 0

  init(_ source: WaveCapture<StepClock>, _ clock: StepClock, _ control: Control) {
    (self.source, self.clock, self.control) = (source, clock, control)
  }

  var format: StreamFormat { source.format }
  var capacity: FrameCount { control.buffer ?? source.capacity }
  var period: FrameCount { source.period }
  var countsLostFrames: Bool { control.steps?.stamp != .delayed }

  private func check() throws(Fault) {
    if let condition = control.fault.withLock({ $0 }) { throw Fault(condition: condition) }
  }

  mutating func start() throws(Fault) {
    try check()
    control.started.withLock { $0 = clock.monotonic }
    position = 0
    source.start()
  }

  mutating func wait(upTo limit: Duration, wake: Int32) throws(Fault) -> Readiness {
    try check()
    return source.wait(upTo: limit, wake: wake)
  }

  mutating func timing() throws(Fault) -> StreamTiming { try timing(control.steps?.stamp) }

  mutating func lastStep() throws(Fault) -> StreamTiming {
    let stamp = control.steps?.stamp
    return try timing(stamp == .both ? .exact : stamp)
  }

  private mutating func timing(_ stamp: Steps.Stamp?) throws(Fault) -> StreamTiming {
    let isHidden = control.isFaultHidden.withLock { $0 }
    if !isHidden { try check() }
    if isHidden || control.isStuck.withLock({ $0 }) {
      return StreamTiming(instant: .zero, available: 0)
    }
    var timing = source.timing()
    guard let stamp, let steps = control.steps else { return timing }
    let hidden = FrameCount((position + Int(timing.available.value)) % steps.frames)
    timing.available -= hidden
    switch stamp {
    case .late, .both: timing.delay = timing.available
    case .exact:
      timing.delay = timing.available
      timing.instant -= hidden.duration(at: format.rate)
    case .delayed: break
    }
    return timing
  }

  mutating func read(into buffer: inout MutableRawSpan) throws(Fault) -> FramesRead {
    try check()
    if control.isStuck.withLock({ $0 }) { return FramesRead(count: 0) }
    let lost = control.buffer.map { max(0, source.timing().available - $0) } ?? 0
    if lost > 0 { _ = read(Int(lost.value)) }
    let room = buffer.byteCount / format.bytesPerFrame
    let (bytes, read) = read(min(Int(try timing().available.value), room))
    for (index, byte) in bytes.enumerated() {
      buffer.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
    }
    return FramesRead(count: read.count, lost: read.lost + lost)
  }

  /// Reads a number of frames.
  private mutating func read(_ count: Int) -> ([UInt8], FramesRead) {
    var bytes = [UInt8](repeating: 0, count: count * format.bytesPerFrame)
    var span = bytes.mutableSpan
    var room = span.mutableBytes
    let read = source.read(into: &room)
    position += read.count + Int(read.lost.value)
    return (bytes, read)
  }

  /// Starts the device again, so that it loses the frames that were not read.
  mutating func recover() throws(Fault) -> Bool {
    guard control.recovers.withLock({ $0 }) else { return false }
    control.fault.withLock { $0 = nil }
    source.stop()
    try start()
    return true
  }

  mutating func silence(_ tracks: TrackSet) { control.silenced.withLock { $0 = tracks } }

  mutating func stop() { source.stop() }

  mutating func close() {
    control.end?.pass()
    control.closer.withLock { $0 = pthread_self() }
    control.isClosed.withLock { $0 = true }
  }
}
