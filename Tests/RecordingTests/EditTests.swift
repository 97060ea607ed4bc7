import Audio
import Linux
import Support
import Synchronization
import Testing

@testable import Recording

@Suite("An order to a recording", .timeLimit(.minutes(10)))
struct EditTests {
  @Test("applies at the frame that was captured when it was given")
  func exactFrames() throws {
    let bench = try Bench()
    let result = bench.run([
      .deliver(100), .act { bench.order(.mark("a")) }, .deliver(50),
      .act { bench.order(.pause) }, .deliver(25), .act { bench.order(.mark("in the pause")) },
      .deliver(5), .act { bench.order(.resume) }, .act { bench.order(.mark("b")) }, .deliver(20),
    ])
    let kept = Array<UInt32>(1...150) + Array<UInt32>(181...200)
    #expect(result.numbers == kept)
    #expect(
      result.events == [
        PositionedEvent(at: 100, .mark("a")), PositionedEvent(at: 150, .paused),
        PositionedEvent(at: 150, .mark("in the pause")),
        PositionedEvent(at: 150, .resumed(after: 30)),
        PositionedEvent(at: 150, .mark("b")),
      ])
    #expect(result.progress.frames.discarded == 30)
  }

  @Test("to begin a take comes before a mark that was set in its pre-roll")
  func beginBeforeMark() {
    let queue = EditQueue()
    _ = queue.claim(upTo: 100, reported: 0)
    #expect(queue.add(.mark("a"), at: 400) == 400)
    #expect(queue.add(.begin, at: 200) == 200)
    #expect(queue.add(.pause, at: 350) == 400)
    #expect(queue.add(.begin, at: 50) == 100)
    #expect(queue.add(.end, at: 300) == 300)
    #expect(queue.add(.end, at: 0) == 100)
    let edits = queue.claim(upTo: 1_000, reported: 0)
    #expect(edits.map(\.position) == [100, 100, 200, 300, 400, 400])
  }

  @Test(
    "to resume at a time applies at its frame, unless the take ends or is paused again before",
    arguments: [(160, false, 160), (160, true, 200), (130, false, 130), (300, false, 200)])
  func resumeAtTime(frame: Int, isPausedAgain: Bool, first: Int) throws {
    let bench = try Bench()
    let instant = bench.clock.monotonic + FrameCount(frame).duration(at: .hz48000)
    let result = bench.run([
      .deliver(100), .act { bench.order(.pause) }, .deliver(30),
      .act { bench.edits.resume(at: instant) }, .deliver(10),
      .act { if isPausedAgain { bench.order(.pause) } }, .deliver(60),
    ])
    #expect(result.numbers == Array<UInt32>(1...100) + (first..<200).map { UInt32($0 + 1) })
    let isResumed = first < 200
    var events = [PositionedEvent(at: 100, .paused)]
    if isResumed {
      events.append(PositionedEvent(at: 100, .resumed(after: FrameCount(first - 100))))
    }
    #expect(result.events == events)
    #expect(result.progress.isPaused == !isResumed)
  }

  @Test("to resume at a time does not come before the pause")
  func resumeBeforePause() {
    let queue = EditQueue()
    #expect(queue.add(.pause, at: 100) == 100)
    queue.resume(at: .seconds(1))
    queue.placeResume(upTo: 80) { _ in 90 }
    #expect(queue.pauses(in: 0...1_000).count == 1)
    queue.placeResume(upTo: 200) { _ in 90 }
    queue.placeResume(upTo: 200) { _ in 150 }
    #expect(queue.pauses(in: 0...1_000).map { $0.position } == [100, 100])
    #expect(queue.claim(upTo: 200, reported: 0).map(\.position) == [100, 100])
    #expect(queue.ordered == 1)
  }

  @Test("to pause keeps a gap out of the file, but counts it")
  func gapWhilePaused() throws {
    let bench = try Bench()
    let result = bench.run([
      .deliver(100), .act { bench.order(.pause) }, .lose(40, then: 10),
      .act { bench.order(.resume) }, .deliver(10),
    ])
    let kept = Array<UInt32>(1...100) + Array<UInt32>(151...160)
    #expect(result.numbers == kept)
    let frames = result.progress.frames
    #expect(frames.lost == 40)
    #expect(frames.filled == 0)
    #expect(frames.discarded == 10)
    #expect(result.events.contains(PositionedEvent(at: 100, .resumed(after: 50))))
  }

  @Test("to end leaves out all later frames, also in a pause")
  func end() throws {
    for isPaused in [false, true] {
      let bench = try Bench()
      let result = bench.run([
        .deliver(100), .act { if isPaused { bench.order(.pause) } }, .deliver(10),
        .act { bench.order(.end) }, .lose(5, then: 10),
      ])
      #expect(result.numbers.count == (isPaused ? 100 : 110))
      #expect(result.progress.frames.captured == 110)
      #expect(result.write == .ordered)
    }
  }

  @Test("to pause at the very end of a duration does not prevent the end of the take")
  func durationWhilePaused() throws {
    let bench = try Bench()
    let result = bench.run(
      [.deliver(100), .act { bench.order(.pause) }, .deliver(10)],
      limits: TakeLimits(frames: 100))
    #expect(result.numbers.count == 100)
    #expect(result.write == .duration)
  }

  @Test("to change the length of a take counts the frames before a pause")
  func length() throws {
    let limits: [(FrameCount?, FrameCount?)] = [(nil, 120), (110, 120), (110, nil)]
    for (first, second) in limits {
      let bench = try Bench()
      let result = bench.run(
        [
          .deliver(100), .act { bench.order(.pause) }, .deliver(10),
          .act { bench.order(.limit(second)) }, .act { bench.order(.resume) }, .deliver(50),
        ],
        limits: TakeLimits(frames: first))
      let last = second == nil ? 160 : 130
      #expect(result.numbers == Array<UInt32>(1...100) + (111...UInt32(last)))
      #expect((result.write == .duration) == (second != nil))
    }
  }

  @Test("with any script of losses leaves every frame accounted for", arguments: 0..<200)
  func property(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let bench = try Bench()
    var model = Model()
    let steps = (0..<40).map { _ in model.step(&random, bench) }
    let result = bench.run(steps)
    #expect(result.numbers == model.numbers)
    #expect(result.events.filter(\.isMark) == model.marks)
    let frames = result.progress.frames
    #expect(frames == model.frames)
    #expect(frames.elapsed == frames.captured + frames.lost)
    #expect(frames.onDisk == FrameCount(result.numbers.count))
    let gaps = result.progress.gaps.reduce(FrameCount(0)) { $0 + $1.length }
    #expect(gaps == frames.lost)
  }
}

extension PositionedEvent {
  fileprivate var isMark: Bool { if case .mark = event { true } else { false } }
}

/// The expected result of a random script, computed separately without ring, threads or queues.
private struct Model {
  var numbers: [UInt32] = []
  var frames = Accounting()
  var marks: [PositionedEvent] = []
  private var heard = 0
  private var isPaused = false

  mutating func step(_ random: inout SeededGenerator, _ bench: Bench) -> FakeSource.Step {
    let count = Int.random(in: 1...600, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let lost = Int.random(in: 1...600, using: &random)
      lose(lost)
      deliver(count)
      return .lose(lost, then: count)
    case 1:
      isPaused.toggle()
      let action: Edit.Action = isPaused ? .pause : .resume
      return .act { bench.order(action) }
    case 2:
      let text = "mark \(marks.count)"
      marks.append(PositionedEvent(at: FrameCount(numbers.count), .mark(text)))
      return .act { bench.order(.mark(text)) }
    default:
      deliver(count)
      return .deliver(count)
    }
  }

  private mutating func deliver(_ count: Int) {
    if !isPaused { numbers += (heard..<(heard + count)).map { UInt32($0 + 1) } }
    if isPaused { frames.discarded += FrameCount(count) }
    frames.captured += FrameCount(count)
    heard += count
  }

  private mutating func lose(_ count: Int) {
    if !isPaused {
      numbers += Array(repeating: 0, count: count)
      frames.filled += FrameCount(count)
    }
    frames.lost += FrameCount(count)
    heard += count
  }
}
