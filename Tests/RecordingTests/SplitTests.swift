import Audio
import Linux
import Support
import Testing

@testable import Recording

@Suite("A take in several files", .timeLimit(.minutes(10)))
struct SplitTests {
  /// Expects that the counts of each file are exact and describe its content.
  private func expectExact(_ result: Bench.Result) {
    var sum = Accounting()
    for file in result.files {
      let (frames, gaps) = (file.segment.frames, file.segment.gaps)
      #expect(frames.onDisk == FrameCount(file.numbers.count))
      #expect(gaps.reduce(FrameCount(0)) { $0 + $1.length } == frames.lost)
      sum = sum + frames
    }
    #expect(sum == result.progress.frames)
    #expect(result.files.map(\.segment.number) == Array(1...result.files.count))
  }

  @Test(
    "is the whole take, cut at the frames captured when a split was requested", arguments: 0..<20)
  func random(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let bench = try Bench()
    var steps: [FakeSource.Step] = []
    var cuts: [Int] = []
    var heard = 0
    for _ in 0..<50 {
      let count = Int.random(in: 1...9_000, using: &random)
      steps += [.deliver(count), .act { bench.order(.split) }]
      heard += count
      cuts.append(heard)
    }
    let last = Int.random(in: 1...9_000, using: &random)
    let result = bench.run(steps + [.deliver(last)])
    #expect(result.numbers == (0..<(heard + last)).map { UInt32($0 + 1) })
    #expect(result.files.count == 51)
    let firsts = result.files.compactMap(\.numbers.first).dropFirst()
    #expect(firsts.map { Int($0) - 1 } == cuts)
    expectExact(result)
  }

  @Test("has files of the requested length, to the frame")
  func timed() throws {
    let result = try Bench().run(
      [.deliver(10_000), .deliver(7_777), .deliver(23_000)],
      limits: TakeLimits(split: .every(5_000)))
    #expect(result.files.map(\.numbers.count) == Array(repeating: 5_000, count: 8) + [777])
    #expect(result.numbers == (0..<40_777).map { UInt32($0 + 1) })
    expectExact(result)
  }

  @Test("that ends at a split has no file after it", arguments: [1, 2, 5])
  func endedAtCut(_ count: Int) throws {
    let result = try Bench().run(
      [.deliver(40_000)],
      limits: TakeLimits(frames: FrameCount(count * 5_000), split: .every(5_000)))
    #expect(result.files.map(\.numbers.count) == Array(repeating: 5_000, count: count))
    #expect(result.write == .duration)
    #expect(result.numbers == (0..<(count * 5_000)).map { UInt32($0 + 1) })
  }

  @Test("has files no larger than requested, if it is split at all")
  func sized() throws {
    let result = try Bench().run(
      [.deliver(10_000)], limits: TakeLimits(bytes: 12_000, split: .every(1_000_000)))
    #expect(result.files.map(\.numbers.count) == [3_000, 3_000, 3_000, 1_000])
    expectExact(result)
  }

  @Test("that is aligned begins its files at the first frame of a second of the clock")
  func aligned() throws {
    let bench = try Bench()
    bench.clock.step(.milliseconds(300))
    let result = bench.run(
      Array(repeating: .deliver(4_800), count: 35),
      limits: TakeLimits(split: .aligned(.seconds(1))))
    #expect(result.files.count == 4)
    for file in result.files.dropFirst() {
      let past = file.segment.began.sinceEpoch.attoseconds % 1_000_000_000_000_000_000
      #expect(past < 1_000_000_000_000_000_000 / 48_000)
    }
    let lengths = result.files.map(\.numbers.count)
    #expect(lengths == [33_600, 48_000, 48_000, 38_400])
    expectExact(result)
  }

  @Test("that is aligned begins a file when the clock is set back at a multiple of the duration")
  func setBack() async {
    await #expect(processExitsWith: .success) {
      // The take begins at 09:29:54 local time. At 09:30:00, the clock is set back to 08:30:00.
      setTimeZone("STD0DST,J1/0,J15/9:30")
      for step in [Duration.seconds(1_800), .seconds(3_600), .seconds(10)] {
        let bench = try Bench()
        bench.clock.step(.seconds(1_794))
        let result = bench.run(
          Array(repeating: .deliver(4_800), count: 120),
          limits: TakeLimits(split: .aligned(step)))
        let isCut = step < .seconds(3_600)
        #expect(result.files.map(\.numbers.count) == (isCut ? [288_000, 288_000] : [576_000]))
      }
    }
  }

  @Test("that is split in the middle of a gap divides the gap")
  func inAGap() throws {
    let bench = try Bench()
    let result = bench.run(
      [.deliver(3_000), .lose(30_000, then: 3_000)],
      limits: TakeLimits(split: .every(10_000)))
    #expect(result.files.map(\.numbers.count) == [10_000, 10_000, 10_000, 6_000])
    #expect(result.files.map(\.segment.frames.lost) == [7_000, 10_000, 10_000, 3_000])
    #expect(result.files.map { $0.segment.gaps.map(\.position) } == [[3_000], [0], [0], [0]])
    #expect(result.files.map(\.segment.events.count) == [1, 1, 1, 1])
    expectExact(result)
  }

  @Test("that ends fills its last gap, unless that is longer than a minute", arguments: [0, 1])
  func lateSilence(extra: Int) throws {
    let minute = 60 * 48_000
    let result = try Bench().run([.deliver(100), .lose(minute + extra, then: 200)])
    #expect(result.numbers.count == (extra == 0 ? minute : 0) + 300)
    #expect(result.progress.frames.lost == FrameCount(minute + extra))
    #expect(result.progress.frames.filled == FrameCount(extra == 0 ? minute : 0))
    let gap = Gap(position: 100, length: FrameCount(minute + extra), cause: .overrun)
    #expect(
      result.files.first?.segment.events == [
        PositionedEvent(at: 100, .gap(gap, isFilled: extra == 0))
      ])
  }

  @Test("ends a file in a pause only when it resumes, so that each mark is in a file with frames")
  func paused() throws {
    let bench = try Bench()
    let result = bench.run([
      .deliver(100), .act { bench.order(.pause) }, .act { bench.order(.split) }, .deliver(50),
      .act { bench.order(.split) }, .act { bench.order(.mark("here")) }, .deliver(50),
      .act { bench.order(.resume) }, .deliver(10), .act { bench.order(.pause) },
      .act { bench.order(.split) }, .deliver(20), .act { bench.order(.mark("there")) },
    ])
    #expect(result.files.map(\.numbers.count) == [100, 10])
    #expect(
      result.files.map(\.segment.events) == [
        [
          PositionedEvent(at: 100, .paused), PositionedEvent(at: 100, .mark("here")),
          PositionedEvent(at: 100, .resumed(after: 100)),
        ], [PositionedEvent(at: 10, .paused), PositionedEvent(at: 10, .mark("there"))],
      ])
    expectExact(result)
  }
}

extension SplitTests {
  @Test("that ends while its device is away has no file after the split, and keeps its marks")
  func away() throws {
    let bench = try Bench()
    let result = bench.run(
      [.deliver(100), .fail(.disconnected)], patience: .seconds(1_000)
    ) { _ in
      bench.order(.split)
      bench.order(.mark("here"))
      bench.state.stop()
      return nil
    }
    #expect(result.files.map(\.numbers.count) == [100] && result.progress.segment == 1)
    let events = try #require(result.files.first).segment.events
    #expect(events.first == PositionedEvent(at: 100, .mark("here")) && events.count == 2)
    expectExact(result)
  }

  @Test("that is split just before a gap has the whole gap in its next file")
  func beforeGap() throws {
    let bench = try Bench()
    let result = bench.run([
      .deliver(100), .act { bench.order(.split) }, .act { bench.order(.mark("here")) },
      .lose(50, then: 20),
    ])
    let gap = Gap(position: 0, length: 50, cause: .overrun)
    #expect(result.files.map(\.numbers.count) == [100, 70])
    #expect(result.files.map(\.segment.gaps) == [[], [gap]])
    #expect(
      result.files.map(\.segment.events) == [
        [PositionedEvent(at: 100, .mark("here"))],
        [PositionedEvent(at: 0, .gap(gap, isFilled: true))],
      ])
    expectExact(result)
  }
}

@Suite("The counts of a file whose writing failed")
struct RecountTests {
  /// Returns the counts of a file with a filled gap, for which `filled` frames of silence were
  /// written, and with a gap for the frames of the failed write.
  private func segment(
    captured: FrameCount, filled: FrameCount, _ gap: Gap, unwritten: Gap
  ) -> TakeSegment {
    var segment = TakeSegment(number: 1, began: WallTime(sinceEpoch: .zero))
    segment.frames.captured = captured
    segment.frames.filled = filled
    segment.frames.lost = gap.length + unwritten.length
    segment.events = [
      PositionedEvent(at: gap.position, .gap(gap, isFilled: true)),
      PositionedEvent(at: unwritten.position, .gap(unwritten, isFilled: false)),
    ]
    segment.failure = 1
    return segment
  }

  @Test(
    "are exact again, for any number of frames in the file",
    arguments: [0, 1, 50, 70, 99, 100, 101, 110, 130, 149, 150, 200] as [FrameCount])
  func exact(held: FrameCount) {
    var counted = segment(
      captured: 100, filled: 30, Gap(position: 60, length: 30, cause: .overrun),
      unwritten: Gap(position: 130, length: 20, cause: .disk))
    let before = counted.frames
    counted.recount(holding: held, at: .hz48000, of: .hz48000)
    #expect(counted.frames.onDisk == min(held, 150))
    #expect(counted.frames.filled == max(0, min(30, held - 60)))
    #expect(counted.frames.elapsed == before.elapsed)
    #expect(counted.gaps.reduce(FrameCount(0)) { $0 + $1.length } == counted.frames.lost)
    #expect(counted.gaps.allSatisfy { $0.position <= counted.frames.onDisk && $0.length > 0 })
  }

  @Test("include silence that the failed write has written", arguments: [105, 110, 130, 140])
  func silence(held: Int) {
    var counted = segment(
      captured: 100, filled: 5, Gap(position: 100, length: 30, cause: .overrun),
      unwritten: Gap(position: 105, length: 20, cause: .disk))
    counted.recount(holding: FrameCount(held), at: .hz48000, of: .hz48000)
    #expect(counted.frames.filled == FrameCount(min(30, held - 100)))
    #expect(counted.frames.captured == FrameCount(max(100, held - 30)))
    #expect(counted.frames.onDisk == FrameCount(held))
  }

  /// Returns the counts of a take whose first file has room for 1,000 frames. The write of the
  /// silence for a gap fails, and after that frames are lost once more.
  private func failed() throws -> TakeSegment {
    let bench = try Bench()
    let result = bench.run(
      [
        .deliver(1_000), .act { bench.order(.mark("here")) }, .lose(50, then: 1_000),
        .lose(30, then: 10),
      ], capacity: 4_000)
    return try #require(result.files.first).segment
  }

  @Test("have an event for each loss, also after the failed write")
  func losses() throws {
    let segment = try failed()
    #expect(segment.frames.captured == 1_000 && segment.frames.lost == 1_090)
    #expect(segment.gaps.map(\.length) == [50, 30, 1_010])
    #expect(segment.gaps.map(\.cause) == [.overrun, .overrun, .disk])
    #expect(segment.events.map(\.frame) == [1_000, 1_000, 1_000, 1_000])
  }

  @Test(
    "have no event after the end of the file, and losses after the failed write at the end",
    arguments: [0, 700, 1_000, 1_020, 1_050] as [FrameCount])
  func end(held: FrameCount) throws {
    var segment = try failed()
    segment.recount(holding: held, at: .hz48000, of: .hz48000)
    #expect(segment.frames.onDisk == held)
    #expect(segment.frames.filled == max(0, held - 1_000))
    #expect(segment.frames.elapsed == 2_090)
    let missing = 1_000 - min(held, 1_000)
    let first = Gap(position: min(held, 1_000), length: 50, cause: .overrun)
    let second = Gap(position: held, length: 30, cause: .overrun)
    let unwritten = Gap(position: held, length: 1_010 + missing, cause: .disk)
    let events = [
      PositionedEvent(at: first.position, .mark("here")),
      PositionedEvent(at: first.position, .gap(first, isFilled: true)),
      PositionedEvent(at: held, .gap(second, isFilled: false)),
      PositionedEvent(at: held, .gap(unwritten, isFilled: false)),
    ]
    #expect(segment.events == events)
  }

  @Test("are at the rate of the file for events, and at the rate of the device for gaps")
  func rates() throws {
    var segment = try failed()
    segment.recount(holding: 300, at: try #require(SampleRate(24_000)), of: .hz48000)
    #expect(segment.frames.onDisk == 600)
    #expect(segment.events.map(\.frame) == [300, 300, 300, 300])
    #expect(segment.gaps.map(\.position) == [600, 600, 600])
  }
}
