import Audio
import Synchronization

/// A device that follows a script; each wait is a step of it, and time passes as the script says.
struct FakeSource: FrameSource, ~Copyable {
  struct Fault: StreamFailure, CustomStringConvertible {
    var condition: StreamCondition
    var description: String { "the fake is \(condition)" }
  }

  enum Step: Sendable {
    /// So many frames come, in their time.
    case deliver(Int)
    /// From now on one frame comes during each read.
    case countFinely
    /// So many come at once that were heard before.
    case deliverLate(Int)
    /// A server keeps so many while the program stands still, and says that they are on their way.
    case keep(Int)
    /// So many are overwritten, and the others after them are read.
    case lose(Int, then: Int)
    /// They go by and nothing says so, but for the frames that the buffer kept from before.
    case swallow(Int)
    /// The stream fails; so many recoveries say "later".
    case fail(StreamCondition, recoveries: Int = 0)
    /// The machine sleeps for so many frames, and the stream says so or does not.
    case sleep(Int, isTold: Bool)
    /// The stream is suspended while the clock goes on; it keeps some frames, and loses those after them.
    case suspend(keeping: Int, losing: Int)
    /// Nothing comes, wait after wait.
    case silence(Duration)
    /// Something happens elsewhere.
    case act(@Sendable () -> Void)
  }

  /// What the test, the device and the devices that come after it share.
  final class Script: Sendable {
    struct State {
      /// Frames that a server says are on their way.
      var kept = 0
      /// Frames that go by once what waits is read.
      var unheard = 0
      /// The steps that are left, the next one last: 96,000 of them end soon enough for a test.
      var steps: [Step]
      /// The frame that the device hears now.
      var heard = 0
      var failsToRecover = 0
      /// Frames that can be read, and lost ones before them.
      var waiting = 0
      var lost = 0
      /// The frames that come during a read.
      var grain = 0
      /// How the next read fails, if it is to.
      var fault: StreamCondition?
    }

    let state: Mutex<State>
    let clock: FakeClock
    let rate: SampleRate
    /// What a frame holds, by its number: the number and one, unless told otherwise.
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

    /// Lets time pass in which so many frames are heard.
    func pass(_ frames: Int) {
      state.withLock { $0.heard += frames }
      clock.step(FrameCount(frames).duration(at: rate))
    }

    /// Lets so many frames come while nobody waits for them.
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
  var countsLostFrames = true
  /// Stands in the way of whoever closes the device.
  var closed: Gate?

  init(_ script: Script) {
    self.script = script
    format = StreamFormat(rate: script.rate, channels: .stereo, sample: .int16)
  }

  mutating func start() {}
  mutating func stop() {}
  mutating func close() { closed?.pass() }

  mutating func timing() -> StreamTiming {
    let (waiting, kept) = script.state.withLock { ($0.waiting, $0.kept) }
    return StreamTiming(
      instant: script.clock.monotonic, started: nil, available: FrameCount(waiting),
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
    let (first, count, lost, isAll) = script.state.withLock { state in
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
      return (first, count, lost, isEmpty && countsLostFrames)
    }
    for frame in 0..<count {
      buffer.storeBytes(
        of: script.content(first + frame), toByteOffset: 4 * frame, as: UInt32.self)
    }
    return FramesRead(count: count, lost: FrameCount(lost), isAll: isAll)
  }

  mutating func recover() throws(Fault) -> Bool {
    script.state.withLock { state in
      state.failsToRecover -= 1
      return state.failsToRecover < 0
    }
  }
}
