import Audio
import Support
import Synchronization

/// A device that follows a script. Each wait is a step of the script, which also decides how much
/// time passes.
struct FakeSource: FrameSource, ~Copyable {
  struct Fault: StreamFailure, CustomStringConvertible {
    var condition: StreamCondition
    var description: String { "the fake is \(condition)" }
  }

  enum Step: Sendable {
    /// A number of frames arrives, at its time.
    case deliver(Int)
    /// From now on, one frame arrives during each read.
    case countFinely
    /// A number of frames that the device captured earlier arrives in one read.
    case deliverLate(Int)
    /// A server keeps a number of frames while the program is stopped, and reports that they are on
    /// their way.
    case keep(Int)
    /// A number of frames is overwritten, and those after them are read.
    case lose(Int, then: Int)
    /// A number of frames is lost without a report. Frames that are already in the buffer are kept.
    case swallow(Int)
    /// The stream fails. The given number of recoveries asks for another attempt.
    case fail(StreamCondition, recoveries: Int = 0)
    /// The machine sleeps for the time of a number of frames. The stream reports this if `isTold`
    /// is true.
    case sleep(Int, isTold: Bool)
    /// The stream is suspended while the clock continues. It keeps some frames, and loses those
    /// after them.
    case suspend(keeping: Int, losing: Int)
    /// No frames arrive in this time, wait after wait.
    case silence(Duration)
    /// The devices of these tracks are missing from now on.
    case miss(TrackSet)
    /// The devices of these tracks are interrupted from now on.
    case interrupt(TrackSet)
    /// An action outside of the device.
    case act(@Sendable () -> Void)
  }

  /// The state that the test, the device and its successors share.
  final class Script: Sendable {
    struct State {
      /// Frames that a server reports as being on their way.
      var kept = 0
      /// Frames that are lost once the waiting frames are read.
      var unheard = 0
      /// The remaining steps, in reverse order. A test with 96,000 of them is fast enough in this
      /// order.
      var steps: [Step]
      /// The number of the frame that the device captures now.
      var heard = 0
      var failsToRecover = 0
      /// Frames that can be read, and lost ones before them.
      var waiting = 0
      var lost = 0
      var silent = SilentTracks()
      /// The tracks whose capture was stopped.
      var silenced = TrackSet()
      /// The number of frames that arrive during a read.
      var grain = 0
      /// The failure of the next read, or nil if it succeeds.
      var fault: StreamCondition?
    }

    let state: Mutex<State>
    let clock: FakeClock
    let rate: SampleRate
    /// The content of a frame with a given number. By default, it is the number plus one.
    let content: @Sendable (Int) -> UInt32

    init(
      _ steps: [Step], clock: FakeClock = FakeClock(), rate: SampleRate = .hz48000,
      content: @escaping @Sendable (Int) -> UInt32 = { UInt32($0 + 1) }
    ) {
      state = Mutex(State(steps: steps.reversed()))
      self.clock = clock
      self.rate = rate
      self.content = content
    }

    /// Lets the time of `frames` frames pass, which the device captures.
    func pass(_ frames: Int) {
      state.withLock { $0.heard += frames }
      clock.step(FrameCount(frames).duration(at: rate))
    }

    /// Delivers frames while the device is not waited for.
    func bring(_ frames: Int) {
      pass(frames)
      state.withLock { $0.waiting += frames }
    }
  }

  typealias Failure = Fault

  let script: Script
  var format: StreamFormat
  var capacity: FrameCount = 24_000
  var period: FrameCount = 4_800
  var mostUnread: FrameCount = 4_800
  var countsLostFrames = true
  /// A gate that blocks the thread that closes the device.
  var closed: Gate?

  init(_ script: Script) {
    self.script = script
    format = StreamFormat(rate: script.rate, channels: .stereo, sample: .int16)
  }

  mutating func start() {}
  mutating func stop() {}
  mutating func close() { closed?.pass() }
  mutating func silence(_ tracks: TrackSet) { script.state.withLock { $0.silenced = tracks } }

  mutating func timing() -> StreamTiming {
    let (waiting, kept) = script.state.withLock { ($0.waiting, $0.kept) }
    return StreamTiming(
      instant: script.clock.monotonic, available: FrameCount(waiting),
      delay: FrameCount(waiting + kept))
  }

  mutating func wait(upTo limit: Duration, wake: Int32) throws(Fault) -> Readiness {
    let step = script.state.withLock { $0.steps.popLast() }
    switch step {
    case nil:
      script.clock.step(limit)
      return .timedOut
    case .deliver(let count):
      script.bring(count)
      return .ready
    case .miss(let tracks):
      script.state.withLock { $0.silent.missing = tracks }
      return .woken
    case .interrupt(let tracks):
      script.state.withLock { $0.silent.interrupted = tracks }
      return .woken
    case .countFinely:
      script.state.withLock { $0.grain = 1 }
      return .woken
    case .deliverLate(let count):
      script.state.withLock { state in
        (state.heard, state.waiting) = (state.heard + count, count)
        state.kept = max(0, state.kept - count)
      }
      return .ready
    case .keep(let count):
      script.clock.step(FrameCount(count).duration(at: script.rate))
      script.state.withLock { $0.kept = count }
      return .woken
    case .lose(let lost, let count):
      script.pass(lost + count)
      script.state.withLock { ($0.lost, $0.waiting) = (lost, count) }
      return .ready
    case .swallow(let count):
      script.pass(count)
      return .woken
    case .fail(let condition, let recoveries):
      script.state.withLock { $0.failsToRecover = recoveries }
      throw Fault(condition: condition)
    case .sleep(let count, let isTold):
      script.state.withLock { $0.heard += count }
      script.clock.suspend(FrameCount(count).duration(at: script.rate))
      if isTold { throw Fault(condition: .suspended) }
      return .woken
    case .suspend(let kept, let lost):
      script.pass(kept)
      script.clock.step(FrameCount(lost).duration(at: script.rate))
      script.state.withLock { ($0.waiting, $0.unheard) = ($0.waiting + kept, lost) }
      throw Fault(condition: .suspended)
    case .silence(let duration):
      let left = duration - limit
      if left > .zero { script.state.withLock { $0.steps.append(.silence(left)) } }
      script.clock.step(min(limit, duration))
      return .timedOut
    case .act(let body):
      body()
      return .woken
    }
  }

  mutating func read(into buffer: inout MutableRawSpan) throws(Fault) -> FramesRead {
    if let condition = script.state.withLock({ $0.fault.take() }) {
      throw Fault(condition: condition)
    }
    let (first, count, lost, isAll, silent) = script.state.withLock { state in
      let count = min(state.waiting, buffer.byteCount / 4)
      let first = state.heard - state.waiting
      let lost = state.lost
      state.waiting -= count
      let isEmpty = state.waiting == 0
      if isEmpty { (state.heard, state.unheard) = (state.heard + state.unheard, 0) }
      state.heard += state.grain
      state.waiting += state.grain
      script.clock.step(FrameCount(state.grain).duration(at: script.rate))
      state.lost = 0
      return (first, count, lost, isEmpty && countsLostFrames, state.silent)
    }
    for frame in 0..<count {
      buffer.storeBytes(
        of: script.content(first + frame), toByteOffset: 4 * frame, as: UInt32.self)
    }
    return FramesRead(count: count, lost: FrameCount(lost), isAll: isAll, silent: silent)
  }

  mutating func recover() throws(Fault) -> Bool {
    script.state.withLock { state in
      state.failsToRecover -= 1
      return state.failsToRecover < 0
    }
  }
}
