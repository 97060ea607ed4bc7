import Audio
import Synchronization
import Testing

@testable import Recording

@Suite("A track of a recording")
struct TrackTests {
  private static let tracks = [
    Track(name: "mic", device: "a", channels: 0..<1),
    Track(name: "far", device: "b", channels: 1..<2),
  ]
  private static let far = TrackSet(index: 1)
  private static let none = TrackSet()

  /// Runs a script with two tracks. The samples of the second one are always 7.
  private func run(_ bench: Bench, _ steps: [FakeSource.Step]) -> Bench.Result {
    bench.run(steps, tracks: Self.tracks) { UInt32($0 + 1) | 7 << 16 }
  }

  /// Returns the samples of both tracks.
  private func samples(_ result: Bench.Result) -> (mic: [UInt32], far: [UInt32]) {
    (result.numbers.map { $0 & 0xFFFF }, result.numbers.map { $0 >> 16 })
  }

  private func gap(_ position: Int64, _ length: Int64, _ cause: Gap.Cause) -> Gap {
    Gap(position: FrameCount(position), length: FrameCount(length), cause: cause)
  }

  @Test("that loses its permission is silent from that frame on, and the other one continues")
  func silenced() throws {
    let bench = try Bench()
    let result = run(
      bench,
      [
        .deliver(100), .act { bench.order(.silence(Self.far, .permission)) }, .deliver(50),
        .act { bench.order(.silence(Self.far, .expired)) }, .deliver(10),
      ])
    let (mic, far) = samples(result)
    #expect(
      mic == Array(1...160)
        && far == Array(repeating: 7, count: 100) + Array(repeating: 0, count: 60))
    #expect(result.progress.trackGaps == [[], [gap(100, 60, .permission)]])
    #expect(result.events == [PositionedEvent(at: 100, .track("far", silent: .permission))])
    #expect(result.progress.frames.lost == 0)
  }

  @Test("is silent while its device is interrupted, for another reason than while it is missing")
  func interrupted() throws {
    let result = run(
      try Bench(),
      [
        .deliver(100), .interrupt(Self.far), .deliver(20), .miss(Self.far), .deliver(30),
        .interrupt(Self.none), .deliver(5), .miss(Self.none), .deliver(10),
      ])
    #expect(result.progress.frames.lost == 0)
    #expect(
      result.progress.trackGaps == [[], [gap(100, 20, .overrun), gap(120, 35, .disconnected)]])
    let causes = result.events.map { event -> Gap.Cause? in
      if case .track(_, silent: let cause) = event.event { cause } else { .disk }
    }
    #expect(causes == [.overrun, .disconnected, nil])
  }

  @Test("is silent while its device is missing, also through a loss of the whole device")
  func missing() throws {
    let result = run(
      try Bench(),
      [
        .deliver(100), .miss(Self.far), .deliver(50), .lose(20, then: 30), .miss(Self.none),
        .deliver(10),
      ])
    #expect(result.progress.frames.lost == 20)
    #expect(result.progress.trackGaps == [[], [gap(100, 100, .disconnected)]])
    let changes = result.events.filter { if case .track = $0.event { true } else { false } }
    #expect(
      changes == [
        PositionedEvent(at: 100, .track("far", silent: .disconnected)),
        PositionedEvent(at: 200, .track("far", silent: nil)),
      ])
  }

  @Test("that has another device is an event at that frame")
  func device() throws {
    let bench = try Bench()
    let result = run(
      bench,
      [
        .deliver(100), .act { bench.order(.event(.device(ofTrack: "far", from: "a", to: "b"))) },
        .deliver(50),
      ])
    #expect(
      result.events == [PositionedEvent(at: 100, .device(ofTrack: "far", from: "a", to: "b"))])
    #expect(result.progress.trackGaps == [[], []] && samples(result).far.count == 150)
  }

  @Test("that lost its permission while its device is missing does not return with the device")
  func both() throws {
    let bench = try Bench()
    let result = run(
      bench,
      [
        .miss(Self.far), .deliver(100), .act { bench.order(.silence(Self.far, .expired)) },
        .deliver(50), .miss(Self.none), .deliver(10),
      ])
    #expect(samples(result).far.suffix(60) == ArraySlice(repeating: 0, count: 60))
    #expect(
      result.progress.trackGaps == [[], [gap(0, 100, .disconnected), gap(100, 60, .expired)]])
  }

  @Test("that loses its permission while the device is missing is not captured when it is back")
  func silencedMeanwhile() throws {
    let bench = try Bench()
    let silenced = Mutex<[TrackSet]>([])
    let result = bench.run(
      [.deliver(100), .fail(.disconnected), .deliver(50)], tracks: Self.tracks,
      patience: .seconds(10)
    ) { script in
      let present = script.state.withLock { $0.silenced }
      let attempts = silenced.withLock { silenced in
        silenced.append(present)
        return silenced.count
      }
      if attempts == 1 { bench.state.silence(Self.far) }
      return attempts == 1 ? nil : FakeSource(script)
    }
    #expect(silenced.withLock { $0 } == [Self.none, Self.far])
    #expect(result.progress.frames.captured == 150)
  }

  @Test("has its silence in each file, and none for a time without frames")
  func split() throws {
    let bench = try Bench()
    let result = run(
      bench,
      [
        .deliver(100), .miss(Self.far), .deliver(10), .act { bench.order(.split) }, .deliver(20),
        .miss(Self.none), .deliver(30), .act { bench.order(.pause) }, .miss(Self.far), .deliver(40),
        .miss(Self.none), .deliver(5), .act { bench.order(.resume) }, .deliver(10),
      ])
    try #require(result.files.count == 2)
    #expect(result.files[0].segment.trackGaps == [[], [gap(100, 10, .disconnected)]])
    #expect(result.files[1].segment.trackGaps == [[], [gap(0, 20, .disconnected)]])
    #expect(
      result.files[1].segment.events.first
        == PositionedEvent(at: 0, .track("far", silent: .disconnected)))
    #expect(
      result.progress.trackGaps == [
        [], [gap(100, 10, .disconnected), gap(110, 20, .disconnected)],
      ])
  }

  @Test("loses its permission before an earlier order for a later frame")
  func order() {
    let queue = EditQueue()
    _ = queue.claim(upTo: 100, reported: 0)
    #expect(queue.add(.mark("a"), at: 400) == 400)
    #expect(queue.add(.silence(Self.far, .permission), at: 0) == 100)
  }
}
