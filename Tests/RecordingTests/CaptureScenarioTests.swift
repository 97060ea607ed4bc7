import Audio
import Linux
import Synchronization
import Testing

@testable import Recording

/// A script, and the expected file, counts and gaps.
struct Scenario: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var steps: [FakeSource.Step]
  var countsLostFrames = true
  var ring = 1_000_000
  var gapRecords = 256
  var limits = TakeLimits()
  var patience: Duration?
  /// Whether a device comes back, at the frame that is current then.
  var comesBack = false
  /// The expected file: ranges of the ramp, and silence.
  var file: [Stretch]
  var lost: Int
  var filled: Int
  var gaps: [Gap] = []
  var capture = CaptureEnd.stopped
  var write = WriteEnd.captureEnded

  enum Stretch: Sendable {
    case ramp(Range<Int>)
    case zeros(Int)
  }

  var numbers: [UInt32] {
    file.flatMap { stretch -> [UInt32] in
      switch stretch {
      case .ramp(let range): range.map { UInt32($0 + 1) }
      case .zeros(let count): Array(repeating: 0, count: count)
      }
    }
  }

  static func gap(_ position: Int, _ length: Int, _ cause: Gap.Cause) -> Gap {
    Gap(position: FrameCount(position), length: FrameCount(length), cause: cause)
  }

  static let all: [Scenario] = [
    Scenario(
      testDescription: "nothing goes wrong", steps: [.deliver(4800), .deliver(7)],
      file: [.ramp(0..<4807)], lost: 0, filled: 0),
    Scenario(
      testDescription: "the device counts what it overwrote",
      steps: [.deliver(100), .lose(30, then: 70), .deliver(5)],
      file: [.ramp(0..<100), .zeros(30), .ramp(130..<205)], lost: 30, filled: 30,
      gaps: [gap(100, 30, .overrun)]),
    Scenario(
      testDescription: "frames are overwritten before the first one",
      steps: [.lose(30, then: 70)], file: [.zeros(30), .ramp(30..<100)], lost: 30, filled: 30,
      gaps: [gap(0, 30, .overrun)]),
    Scenario(
      testDescription: "only the clock can tell what went by",
      steps: [.deliver(4800), .swallow(48_000), .deliver(4800), .deliver(10)],
      countsLostFrames: false,
      // The device kept its oldest frames, as PipeWire's plugin does. So the gap is after them.
      file: [.ramp(0..<4800), .ramp(52_800..<57_600), .zeros(48_000), .ramp(57_600..<57_610)],
      lost: 48_000, filled: 48_000, gaps: [gap(9600, 48_000, .stalled)]),
    Scenario(
      testDescription: "a server kept more for a program that was stopped than the device holds",
      steps: [.deliver(4800), .keep(144_000)] + Array(repeating: .deliverLate(4800), count: 30),
      countsLostFrames: false, file: [.ramp(0..<148_800)], lost: 0, filled: 0),
    Scenario(
      testDescription: "a short delay is no loss",
      steps: [.deliver(4800), .swallow(1000), .deliver(4800)], countsLostFrames: false,
      file: [.ramp(0..<4800), .ramp(5800..<10_600)], lost: 0, filled: 0),
    Scenario(
      testDescription: "the stream overruns and goes on",
      steps: [.deliver(4800), .swallow(2400), .fail(.xrun), .deliver(100)],
      file: [.ramp(0..<4800), .zeros(2400), .ramp(7200..<7300)], lost: 2400, filled: 2400,
      gaps: [gap(4800, 2400, .overrun)]),
    Scenario(
      testDescription: "a stream is suspended and keeps what it had",
      steps: [.deliver(100), .suspend(keeping: 50, losing: 10_000), .deliver(100)],
      file: [.ramp(0..<150), .zeros(10_000), .ramp(10_150..<10_250)], lost: 10_000, filled: 10_000,
      gaps: [gap(150, 10_000, .suspended)]),
    Scenario(
      testDescription: "a card that counts every frame is suspended",
      steps: [
        .countFinely, .deliver(100), .deliver(99), .suspend(keeping: 49, losing: 10_000),
        .deliver(99),
      ],
      file: [.ramp(0..<250), .zeros(10_001), .ramp(10_250..<10_351)], lost: 10_001, filled: 10_001,
      gaps: [gap(250, 10_001, .suspended)]),
    Scenario(
      testDescription: "the machine sleeps for an hour and the stream says so",
      steps: [.deliver(100), .sleep(172_800, isTold: true), .deliver(100)],
      file: [.ramp(0..<100), .zeros(172_800), .ramp(172_900..<173_000)], lost: 172_800,
      filled: 172_800, gaps: [gap(100, 172_800, .suspended)]),
    Scenario(
      testDescription: "the machine sleeps and only the clock says so",
      steps: [.deliver(100), .sleep(480_000, isTold: false), .deliver(100), .deliver(1)],
      file: [
        .ramp(0..<100), .ramp(480_100..<480_200), .zeros(480_000), .ramp(480_200..<480_201),
      ], lost: 480_000, filled: 480_000, gaps: [gap(200, 480_000, .suspended)]),
    Scenario(
      testDescription: "the machine sleeps and the driver needs three tries",
      steps: [
        .deliver(100), .sleep(48_000, isTold: false), .fail(.suspended, recoveries: 3),
        .deliver(100),
      ],
      // Three waits of 20 ms pass on the clock, while the fake captures nothing.
      file: [.ramp(0..<100), .zeros(50_880), .ramp(48_100..<48_200)], lost: 50_880,
      filled: 50_880, gaps: [gap(100, 50_880, .suspended)]),
    Scenario(
      testDescription: "the stream never recovers",
      steps: [.deliver(100), .fail(.suspended, recoveries: .max)],
      file: [.ramp(0..<100)], lost: 240_960, filled: 0, gaps: [gap(100, 240_960, .disconnected)],
      capture: .failed("the fake is suspended")),
    Scenario(
      testDescription: "recovery succeeds again and again and brings nothing",
      steps: [.deliver(100)] + Array(repeating: .fail(.xrun), count: 100),
      file: [.ramp(0..<100)], lost: 48_960, filled: 0, gaps: [gap(100, 48_960, .disconnected)],
      capture: .disconnected("the fake is xrun")),
    Scenario(
      testDescription: "the device goes",
      steps: [.deliver(100), .swallow(50), .fail(.disconnected)],
      file: [.ramp(0..<100)], lost: 50, filled: 0, gaps: [gap(100, 50, .disconnected)],
      capture: .disconnected("the fake is disconnected")),
    Scenario(
      testDescription: "the device goes before its first frame", steps: [.fail(.disconnected)],
      file: [], lost: 0, filled: 0, capture: .disconnected("the fake is disconnected")),
    Scenario(
      testDescription: "the device is silent for as long as it may be",
      steps: [.deliver(100), .silence(.milliseconds(1500)), .deliver(10)],
      file: [.ramp(0..<100), .ramp(100..<110)], lost: 0, filled: 0),
    Scenario(
      testDescription: "it is stopped while the device is silent",
      steps: [.deliver(100), .silence(.milliseconds(1500))],
      file: [.ramp(0..<100)], lost: 72_000, filled: 0, gaps: [gap(100, 72_000, .stalled)]),
    Scenario(
      testDescription: "the device is silent for too long",
      steps: [.deliver(100), .silence(.seconds(9))],
      file: [.ramp(0..<100)], lost: 144_000, filled: 0, gaps: [gap(100, 144_000, .stalled)],
      capture: .stalled(.seconds(3))),
    Scenario(
      testDescription: "the device goes and comes back",
      steps: [.deliver(100), .fail(.disconnected), .deliver(100)], patience: .seconds(10),
      comesBack: true,
      // One attempt after 250 ms.
      file: [.ramp(0..<100), .zeros(12_000), .ramp(100..<200)], lost: 12_000, filled: 12_000,
      gaps: [gap(100, 12_000, .disconnected)]),
    Scenario(
      testDescription: "the device comes back with all that it heard meanwhile",
      steps: [.deliver(4_800), .fail(.disconnected), .deliverLate(24_000)],
      countsLostFrames: false, patience: .seconds(10), comesBack: true,
      file: [.ramp(0..<28_800)], lost: 0, filled: 0),
    Scenario(
      testDescription: "the device goes and stays away",
      steps: [.deliver(100), .fail(.disconnected)],
      patience: .seconds(1), file: [.ramp(0..<100)], lost: 48_000, filled: 0,
      gaps: [gap(100, 48_000, .disconnected)], capture: .disconnected("the fake is disconnected")),
    Scenario(
      testDescription: "the disk stands still until the ring is full",
      steps: [.deliver(600), .deliver(600), .deliver(600)], ring: 1000,
      file: [.ramp(0..<1000)], lost: 800, filled: 0, gaps: [gap(1000, 800, .disk)]),
    Scenario(
      testDescription: "the queue of the gaps is full",
      steps: [.lose(1, then: 10), .lose(2, then: 10), .lose(3, then: 10), .deliver(10)],
      gapRecords: 2, file: [.zeros(1), .ramp(1..<11), .zeros(2), .ramp(13..<23)], lost: 26,
      filled: 3, gaps: [gap(0, 1, .overrun), gap(11, 2, .overrun), gap(23, 23, .overrun)]),
    Scenario(
      testDescription: "the duration ends inside a block", steps: [.deliver(4800)],
      limits: TakeLimits(frames: 1234), file: [.ramp(0..<1234)], lost: 0, filled: 0,
      write: .duration),
    Scenario(
      testDescription: "the duration ends inside a gap",
      steps: [.deliver(100), .lose(1000, then: 100)], limits: TakeLimits(frames: 600),
      file: [.ramp(0..<100), .zeros(500)], lost: 1000, filled: 500,
      gaps: [gap(100, 1000, .overrun)], write: .duration),
    Scenario(
      testDescription: "the size ends the take", steps: [.deliver(4800)],
      limits: TakeLimits(bytes: 403), file: [.ramp(0..<100)], lost: 0, filled: 0, write: .size),
  ]
}

@Suite("The engine of a recording", .timeLimit(.minutes(10)))
struct CaptureScenarioTests {
  @Test("accounts for every frame when", arguments: Scenario.all)
  func scenario(_ scenario: Scenario) throws {
    let isBack = Mutex(scenario.comesBack)
    let result = try Bench().run(
      scenario.steps, countsLostFrames: scenario.countsLostFrames, ring: scenario.ring,
      gapRecords: scenario.gapRecords, limits: scenario.limits, patience: scenario.patience
    ) { script in
      isBack.withLock { isBack in
        defer { isBack = false }
        guard isBack else { return nil }
        var source = FakeSource(script)
        source.countsLostFrames = scenario.countsLostFrames
        return source
      }
    }
    // The number of frames is compared first, because a difference is printed completely.
    #expect(result.numbers.count == scenario.numbers.count)
    #expect(result.numbers.elementsEqual(scenario.numbers))
    let frames = result.progress.frames
    #expect(frames.lost == FrameCount(scenario.lost))
    #expect(frames.filled == FrameCount(scenario.filled))
    #expect(frames.onDisk == FrameCount(result.numbers.count))
    #expect(result.progress.gaps == scenario.gaps)
    #expect(result.capture == scenario.capture)
    #expect(result.write == scenario.write)
  }

  @Test(
    "waits for the next period of a device with long periods, and loses nothing",
    arguments: [true, false])
  func longPeriods(countsLostFrames: Bool) throws {
    let result = try Bench().run(
      [
        .deliver(100), .silence(.seconds(5)), .deliverLate(240_000), .silence(.seconds(4)),
      ], countsLostFrames: countsLostFrames, period: 240_000)
    #expect(result.numbers.count == 240_100)
    #expect(result.progress.frames.lost == 0 && result.progress.gaps.isEmpty)
    #expect(result.capture == .stopped)
  }

  @Test("ends after 3 s of silence, or after four periods", arguments: [(4_800, 3), (240_000, 20)])
  func longestSilence(period: Int, seconds: Int) throws {
    let result = try Bench().run(
      [.deliver(100), .silence(.seconds(60))], period: FrameCount(period))
    #expect(result.capture == .stalled(.seconds(seconds)))
  }

  @Test("waits only for a device of the same format")
  func otherFormat() throws {
    let result = try Bench().run(
      [.deliver(100), .fail(.disconnected), .deliver(5)], patience: .seconds(1)
    ) { script in
      var other = FakeSource(script)
      other.format.rate = .hz44100
      return other
    }
    #expect(result.capture == .disconnected("the fake is disconnected"))
    #expect(result.numbers.count == 100)
  }

  @Test("ends immediately if it is stopped while the device is away")
  func stopWhileAway() throws {
    let bench = try Bench()
    let result = bench.run(
      [.deliver(100), .fail(.disconnected)], patience: .seconds(1_000)
    ) { _ in
      bench.state.stop()
      return nil
    }
    #expect(result.capture == .stopped)
    #expect(result.progress.frames.lost == 24_000)
    #expect(result.numbers.count == 100)
  }

  @Test("tries a missing device four times a second, also after a wake")
  func wokenWhileAway() throws {
    let bench = try Bench()
    bench.clock.noticeWakes()
    let attempts = Mutex(0)
    let result = bench.run([.deliver(100), .fail(.disconnected)], patience: .seconds(1)) { _ in
      let count = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if count == 1 { bench.state.wake.signal() }
      // Without this, a loop that does not wait would never end.
      if count == 100 { bench.state.stop() }
      return nil
    }
    // The wake itself leads to one more attempt.
    #expect(attempts.withLock(\.self) == 5)
    #expect(result.capture == .disconnected("the fake is disconnected"))
  }
}
