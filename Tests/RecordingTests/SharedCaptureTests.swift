import Audio
import CAllocations
import Linux
import RealTime
import Support
import Synchronization
import Testing

@testable import Recording

@Suite("A capture that the writer reads while it is unattended", .timeLimit(.minutes(2)))
struct SharedCaptureTests {
  /// A capture on its own thread. The test is its writer.
  private final class Stage {
    let script: FakeSource.Script
    let state: CaptureState
    let capture: SharedCapture<FakeSource>
    var frames: SampleRing.Reader
    var gaps: SampleRing.Reader

    private let end = Gate()

    /// Starts with 100 frames, and lends the device. The device delivers nothing after its steps.
    ///
    /// - Parameters:
    ///   - read: blocks the thread that reads the 101st frame.
    ///   - closed: blocks the thread that closes the device.
    ///   - buffer: the length of the device's buffer. With a longer buffer, the writer has more
    ///     time until it is late.
    init(
      then steps: [FakeSource.Step] = [], read: Gate? = nil, closed: Gate? = nil,
      buffer: Duration = .seconds(60)
    ) throws {
      let clock = FakeClock()
      script = FakeSource.Script(
        [.deliver(100)] + steps + [.act { [end] in end.pass() }], clock: clock
      ) { frame in
        if frame == 100 { read?.pass() }
        return UInt32(frame + 1)
      }
      var source = FakeSource(script)
      source.capacity = FrameCount(buffer, at: .hz48000)
      source.closed = closed
      state = try CaptureState(Timeline(clock, at: .hz48000))
      state.leaveUnattended(true)
      var ring = SampleRing(capacity: 480_000, bytesPerFrame: 4)
      var records = SampleRing(capacity: 16, bytesPerFrame: GapRecord.bytes)
      frames = ring.reader()
      gaps = records.reader()
      capture = SharedCapture(
        CaptureLoop(
          source, frames: ring.writer(), gaps: records.writer(), state: state, patience: nil,
          clock: clock, reopen: { nil }), state, clock: clock)
      _ = try Thread("capture") { [capture] in capture.run() }
      try awaitSignal { self.capture.nextRead != nil }
    }

    /// Waits until a signal of the capture makes the condition true.
    func awaitSignal(until condition: () -> Bool) throws {
      while !condition() {
        try #require(try state.arrival.descriptor.wait(upTo: .seconds(30)))
        state.arrival.clear()
      }
    }

    /// Takes the frames out of the ring and returns them.
    func take() -> [UInt32] {
      var numbers: [UInt32] = []
      while true {
        let count: Int
        do {
          let bytes = frames.frames()
          count = bytes.byteCount / 4
          for frame in 0..<count {
            numbers.append(bytes.unsafeLoad(fromByteOffset: 4 * frame, as: UInt32.self))
          }
        }
        if count == 0 { return numbers }
        frames.release(count)
      }
    }

    /// Delivers frames, and has a separate thread read them up to the gate.
    func read(into gate: Gate) throws {
      script.bring(50)
      _ = try Thread("writer") { [capture] in capture.read() }
      try gate.awaitArrival()
    }

    /// Stops the capture and returns its end.
    func stop() throws -> CaptureEnd? {
      state.stop()
      end.open()
      try awaitSignal { self.state.report != nil }
      return state.report?.end
    }
  }

  private func ramp(_ range: Range<Int>) -> [UInt32] { range.map { UInt32($0 + 1) } }

  @Test("delivers each frame to the writer, in order, up to the stop")
  func frames() throws {
    let stage = try Stage()
    #expect(stage.take() == ramp(0..<100))
    for piece in 0..<3 {
      stage.script.bring(1_000)
      let due = try #require(stage.capture.nextRead)
      stage.capture.read()
      #expect(stage.take() == ramp((100 + 1_000 * piece)..<(1_100 + 1_000 * piece)))
      #expect(try #require(stage.capture.nextRead) > due)
    }
    stage.script.bring(50)
    #expect(try stage.stop() == .stopped)
    #expect(stage.take() == ramp(3_100..<3_150))
    #expect(stage.capture.nextRead == nil)
  }

  @Test("is read by its own thread again if the writer is late")
  func lateWriter() throws {
    let late = Gate()
    let stage = try Stage(then: [.act { late.pass() }, .deliver(1_000)], buffer: .seconds(2))
    stage.script.bring(1_000)
    let (lent, wait) = (KernelClock.monotonic.now, ProcessorWait())
    try late.awaitArrival()
    #expect(stage.state.captured.load(ordering: .relaxed) == 1_100)
    #expect(KernelClock.monotonic.now - lent < .seconds(2) + wait.longest)
    // The writer has not taken its frames yet, so the device is not lent to it.
    #expect(stage.capture.nextRead == nil)
    #expect(stage.take() == ramp(0..<1_100))
    late.open()
    try stage.awaitSignal { stage.capture.nextRead != nil }
    #expect(try stage.stop() == .stopped)
    #expect(stage.take() == ramp(1_100..<2_100))
  }

  @Test("is read by its own thread again if the writer finds no frames")
  func silence() throws {
    let stage = try Stage(then: [.deliver(200)])
    _ = stage.take()
    stage.capture.read()
    try stage.awaitSignal { stage.state.captured.load(ordering: .relaxed) == 300 }
    #expect(stage.take() == ramp(100..<300))
    #expect(try stage.stop() == .stopped)
  }

  @Test("returns to its own thread after the machine has slept")
  func sleep() throws {
    let here = Gate()
    let stage = try Stage(then: [.act { here.pass() }, .deliver(200)])
    _ = stage.take()
    stage.script.bring(50)
    stage.script.clock.suspend(.seconds(60))
    stage.capture.read()
    try here.awaitArrival()
    #expect(stage.state.captured.load(ordering: .relaxed) == 100)
    here.open()
    try stage.awaitSignal { stage.state.captured.load(ordering: .relaxed) == 350 }
    #expect(try stage.stop() == .stopped)
  }

  @Test("recovers on its own thread from a failure in a read of the writer, and counts the loss")
  func failure() throws {
    let stage = try Stage(then: [.deliver(200)])
    _ = stage.take()
    stage.script.pass(48_000)
    stage.script.state.withLock { $0.fault = .xrun }
    stage.capture.read()
    try stage.awaitSignal { stage.state.captured.load(ordering: .relaxed) == 300 }
    let record = stage.gaps.takeRecord()
    let gap = try #require(record)
    #expect(gap.position == 100 && gap.cause == .overrun)
    #expect(gap.length == 48_000)
    #expect(stage.take() == ramp(48_100..<48_300))
    #expect(try stage.stop() == .stopped)
  }

  @Test("returns to its own thread immediately when it is attended")
  func attended() throws {
    let stage = try Stage(then: [.deliver(200)])
    _ = stage.take()
    stage.state.leaveUnattended(false)
    try stage.awaitSignal { stage.state.captured.load(ordering: .relaxed) == 300 }
    #expect(stage.capture.nextRead == nil)
    stage.capture.read()
    #expect(stage.take() == ramp(100..<300))
    #expect(try stage.stop() == .stopped)
  }

  @Test("is stopped during a read of the writer, and keeps each frame")
  func stopped() throws {
    let inRead = Gate()
    let stage = try Stage(read: inRead)
    _ = stage.take()
    try stage.read(into: inRead)
    stage.state.stop()
    stage.script.bring(20)
    inRead.open()
    #expect(try stage.stop() == .stopped)
    #expect(stage.take() == ramp(100..<170))
    #expect(stage.capture.nextRead == nil)
  }

  @Test("returns to its own thread from a read if it becomes attended meanwhile")
  func attendedDuringRead() throws {
    let inRead = Gate()
    let stage = try Stage(then: [.deliver(200)], read: inRead)
    _ = stage.take()
    try stage.read(into: inRead)
    stage.state.leaveUnattended(false)
    inRead.open()
    try stage.awaitSignal { stage.state.captured.load(ordering: .relaxed) == 350 }
    #expect(stage.take() == ramp(100..<350))
    #expect(stage.capture.nextRead == nil)
    #expect(try stage.stop() == .stopped)
  }

  @Test("is closed for a pause that is ordered during a read of the writer")
  func pausedDuringRead() throws {
    let inRead = Gate()
    let closed = Gate()
    let stage = try Stage(read: inRead, closed: closed)
    _ = stage.take()
    try stage.read(into: inRead)
    stage.state.release(after: 150)
    inRead.open()
    try closed.awaitArrival()
    #expect(stage.state.isClosed)
    closed.open()
    #expect(stage.capture.nextRead == nil)
    stage.capture.read()
    #expect(stage.take() == ramp(100..<150))
    #expect(try stage.stop() == .stopped)
  }

  @Test("allocates nothing on either thread while the device is lent and returned")
  func allocations() throws {
    let counts = Mutex<[Int]>([])
    let count = FakeSource.Step.act {
      let now = allocations_of_this_thread()
      counts.withLock { $0.append(now) }
    }
    let stage = try Stage(then: [count, count, count])
    counts.withLock { $0.reserveCapacity(3) }
    for round in 1...3 {
      stage.script.bring(100)
      var allocated = 0
      // The second read finds nothing, and the device is returned.
      for _ in 1...2 {
        _ = stage.take()
        let before = allocations_of_this_thread()
        stage.capture.read()
        allocated += allocations_of_this_thread() - before
      }
      // In the first round the runtime may create objects that it allocates only once.
      if round > 1 { #expect(allocated == 0) }
      try stage.awaitSignal {
        counts.withLock { $0.count == round } && stage.capture.nextRead != nil
      }
    }
    let counted = counts.withLock(\.self)
    #expect(counted[2] == counted[1])
    #expect(try stage.stop() == .stopped)
  }
}
