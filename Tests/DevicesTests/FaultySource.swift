import Audio
import Synchronization

@testable import Devices

/// A built-in device that fails when a test wants it to.
struct FaultySource: FrameSource, ~Copyable {
  struct Fault: StreamFailure { var condition: StreamCondition }

  /// The state that the test and the device share.
  final class Control: Sendable {
    /// The failure of the next calls, or nil if they succeed.
    let fault = Mutex<StreamCondition?>(nil)
    /// Whether the device can be opened again.
    let isBack = Mutex(false)
    /// Whether the device delivers nothing, without a failure.
    let isStuck = Mutex(false)
    /// Whether the device was closed.
    let isClosed = Mutex(false)
    /// The time of the device's frame 0.
    let started = Mutex(Duration.zero)
  }

  private var source: WaveCapture<StepClock>
  private let clock: StepClock
  private let control: Control

  init(_ source: WaveCapture<StepClock>, _ clock: StepClock, _ control: Control) {
    (self.source, self.clock, self.control) = (source, clock, control)
  }

  var format: StreamFormat { source.format }
  var capacity: FrameCount { source.capacity }
  var period: FrameCount { source.period }
  var countsLostFrames: Bool { true }

  private func check() throws(Fault) {
    if let condition = control.fault.withLock({ $0 }) { throw Fault(condition: condition) }
  }

  mutating func start() throws(Fault) {
    try check()
    control.started.withLock { $0 = clock.monotonic }
    source.start()
  }

  mutating func wait(upTo limit: Duration, wake: Int32) throws(Fault) -> Readiness {
    try check()
    return source.wait(upTo: limit, wake: wake)
  }

  mutating func timing() throws(Fault) -> StreamTiming {
    try check()
    if control.isStuck.withLock({ $0 }) { return StreamTiming(instant: .zero, available: 0) }
    return source.timing()
  }

  mutating func read(into buffer: inout MutableRawSpan) throws(Fault) -> FramesRead {
    try check()
    if control.isStuck.withLock({ $0 }) { return FramesRead(count: 0) }
    return source.read(into: &buffer)
  }

  /// Starts the device again, so that it loses the frames that were not read.
  mutating func recover() throws(Fault) -> Bool {
    control.fault.withLock { $0 = nil }
    source.stop()
    try start()
    return true
  }

  mutating func stop() { source.stop() }
  mutating func close() { control.isClosed.withLock { $0 = true } }
}
