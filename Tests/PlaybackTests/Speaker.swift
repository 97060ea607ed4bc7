import Audio
import Dispatch
import Glibc
import Linux
import Playback
import Synchronization
import Testing

/// The test's own device. It plays only while it is waited for, and the test can read the played
/// samples.
struct Speaker: FrameSink, ~Copyable {
  /// The reason why the device does not continue.
  struct Fault: StreamFailure, CustomStringConvertible {
    let condition: StreamCondition
    var description: String { "\(condition)" }
  }

  /// The played samples, and the number of starts and stops of the device.
  struct Tape {
    var samples: [Float] = []
    var sum = 0.0
    var starts = 0
    var stops = 0
    var closings = 0
    var takenBack = 0
    var playsOn = false
  }

  /// The state that the test and the device share.
  final class Room: Sendable {
    let tape = Mutex(Tape())
    /// Whether every sample is kept, or only their sum.
    let keeps: Bool
    /// Signalled while the device waits to rewind frames.
    private let waiting = DispatchSemaphore(value: 0)

    init(keeps: Bool = true) { self.keeps = keeps }

    var heard: [Float] { tape.withLock { $0.samples } }

    func noteWaiting() { waiting.signal() }

    /// Returns as soon as the device waits to rewind frames.
    func awaitWaiting() throws {
      try #require(waiting.wait(timeout: .now() + 20) == .success)
    }

    func play(_ samples: ArraySlice<Float>) {
      tape.withLock { tape in
        if keeps { tape.samples += samples }
        for sample in samples { tape.sum += Double(sample) }
      }
    }
  }

  typealias Failure = Fault

  let format = Stage.mono
  let capacity: FrameCount = 64
  let room: Room
  /// The number of frames that the device plays before it fails, and the failure.
  var limit = Int.max
  var fault = Fault(condition: .disconnected)
  /// Whether the device accepts one full buffer and plays nothing, like a hung sound server.
  var isFrozen = false
  /// The device waits once it has played this number of frames. It continues once it has rewound
  /// the frames written since it last played, or once the test lets it continue.
  private let takesBackAt: Int?
  private var buffer: [Float] = []
  private var played = 0
  private var isRunning = false
  private var hasFailed = false

  init(_ room: Room, takingBackAt place: Int? = nil) {
    self.room = room
    takesBackAt = place
  }

  deinit { room.tape.withLock { $0.closings += 1 } }

  mutating func start() {
    isRunning = true
    room.tape.withLock { $0.starts += 1 }
  }

  mutating func wait(upTo limit: Duration, wake: Int32) throws(Fault) -> Readiness {
    precondition(isRunning, "a device that does not run never becomes ready")
    if isFrozen {
      return Self.wait(upTo: min(limit, .milliseconds(50)), wake) ? .woken : .timedOut
    }
    if buffer.isEmpty {
      isRunning = false
      throw Fault(condition: .xrun)
    }
    if played >= self.limit && !hasFailed {
      hasFailed = fault.condition == .xrun
      isRunning = false
      throw fault
    }
    if let place = takesBackAt, played >= place, !room.tape.withLock({ $0.playsOn }) {
      room.noteWaiting()
      // A wake of a previous command may be left.
      return Self.wait(upTo: .milliseconds(20), wake) ? .woken : .timedOut
    }
    let count = min(17, buffer.count)
    room.play(buffer.prefix(count))
    buffer.removeFirst(count)
    played += count
    return .ready
  }

  private static func wait(upTo limit: Duration, _ wake: Int32) -> Bool {
    var entry = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Int32(limit / .milliseconds(1))) == 1
  }

  mutating func write(_ frames: RawSpan) -> Int {
    let count = min(frames.byteCount / 4, Int(capacity.value) - buffer.count)
    for index in 0..<count {
      buffer.append(frames.unsafeLoad(fromByteOffset: index * 4, as: Float.self))
    }
    return count
  }

  mutating func takeBack(_ frames: FrameCount) -> Bool {
    guard takesBackAt != nil, frames > 0, buffer.count >= Int(frames.value) else { return false }
    buffer.removeLast(Int(frames.value))
    room.tape.withLock { ($0.playsOn, $0.takenBack) = (true, $0.takenBack + 1) }
    return true
  }

  mutating func timing() -> StreamTiming {
    StreamTiming(
      instant: KernelClock.monotonic.now, available: capacity - FrameCount(buffer.count))
  }

  mutating func recover() -> Bool { true }

  mutating func stop() {
    isRunning = false
    buffer = []
    room.tape.withLock { $0.stops += 1 }
  }
}
