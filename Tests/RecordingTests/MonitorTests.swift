import Audio
import Linux
import Support
import Synchronization
import Testing

@testable import Recording

@Suite("A listener of a take", .timeLimit(.minutes(5)))
struct MonitorTests {
  /// A listener that keeps everything that it receives.
  private final class Listener: TakeMonitor {
    struct Heard {
      var numbers: [UInt32] = []
      var positions: [Int] = []
      var channels: [[Level]] = []
      var events: [TakeEvent] = []
    }

    private let heard = Mutex(Heard())

    var isListening: Bool { true }

    var all: Heard { heard.withLock { $0 } }

    func take(_ frames: RawSpan, of stream: StreamFormat, at position: Int) {
      let bytes = frames.withUnsafeBytes(Array.init)
      heard.withLock { heard in
        heard.positions.append(position - heard.numbers.count)
        heard.numbers += bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
      }
    }

    func measured(_ level: Level, _ channels: [Level]) {
      heard.withLock { $0.channels.append(channels) }
    }

    func note(_ event: PositionedEvent) { heard.withLock { $0.events.append(event.event) } }
  }

  @Test("gets each frame of the file once, also the silence for lost frames")
  func frames() throws {
    let listener = Listener()
    let bench = try Bench()
    let result = bench.run(
      [
        .deliver(100), .lose(50, then: 100), .act { bench.order(.pause) }, .deliver(20),
        .act { bench.order(.resume) }, .deliver(10),
      ], monitor: listener)
    #expect(listener.all.numbers == result.numbers && result.numbers.count == 260)
    #expect(listener.all.positions.allSatisfy { $0 == 0 }, "each block follows the one before")
    #expect(listener.all.events == result.events.map(\.event) && result.events.count == 3)
  }

  @Test("gets the levels of each channel, and so does the progress")
  func levels() throws {
    let listener = Listener()
    // The first channel at half of full scale, the second at an eighth.
    let result = try Bench().run(
      [.deliver(4_800)], content: { _ in 0x1000_4000 }, monitor: listener)
    let last = try #require(listener.all.channels.last)
    #expect(last.map(\.peak) == [0.5, 0.125] && last.map(\.rms) == [0.5, 0.125])
    #expect(result.progress.channels == last && result.progress.level.peak == 0.5)
  }
}

@Suite("A pause that closes the device", .timeLimit(.minutes(5)))
struct ReleaseTests {
  private let closed = Gate()
  private let contents = MemoryFile.Contents()
  private let clock = FakeClock()

  private func start(
    _ script: FakeSource.Script, reopening next: @escaping @Sendable () -> FakeSource?
  ) throws -> Recording {
    var source = FakeSource(script)
    source.closed = closed
    let file = MemoryFile(stream: source.format, contents: contents)
    var settings = RecordingSettings()
    settings.clock = clock
    return try Recording(
      from: source, to: file,
      converter: NoConverter?.none, settings, files: TakeFiles { _, _, _ in }, reopen: next)
  }

  /// Pauses while the script waits at the gate. Returns one second after the device is closed.
  private func pause(_ recording: Recording, at gate: Gate) throws {
    try gate.awaitArrival()
    recording.pause(releasing: true)
    gate.open()
    try closed.awaitArrival()
    clock.step(.seconds(1))
    closed.open()
  }

  @Test("leaves no gap in the file, and loses no frame before or after it")
  func seamless() throws {
    let (here, end) = (Gate(), Gate())
    let script = FakeSource.Script([.deliver(4_800), .act { here.pass() }], clock: clock)
    let later = FakeSource.Script(
      [.deliver(4_800), .act { end.pass() }], clock: clock, content: { UInt32($0 + 1_000_001) })
    let recording = try start(script) { FakeSource(later) }
    try pause(recording, at: here)
    #expect(recording.isReleased)
    recording.resume()
    try end.awaitArrival()
    recording.stop()
    end.open()
    #expect(try recording.ended.descriptor.wait(upTo: .seconds(30)))
    let kept = (0..<4_800).map { UInt32($0 + 1) }
    #expect(contents.numbers == kept + kept.map { $0 + 1_000_000 })
    #expect(recording.lost == 0 && recording.progress.frames.lost == 0)
    let events = recording.takeEvents()
    #expect(events.map(\.frame) == [4_800, 4_800] && events.first?.event == .paused)
    guard case .resumed(let length) = events.last?.event else {
      Issue.record("it was not resumed")
      return
    }
    #expect(length >= 48_000, "the time that the device was closed for")
  }

  @Test("may begin later than the pause, and the length includes both parts")
  func later() throws {
    let (first, second, end) = (Gate(), Gate(), Gate())
    let script = FakeSource.Script(
      [.deliver(4_800), .act { first.pass() }, .deliver(4_800), .act { second.pass() }],
      clock: clock)
    let later = FakeSource.Script(
      [.deliver(4_800), .act { end.pass() }], clock: clock, content: { UInt32($0 + 1_000_001) })
    let recording = try start(script) { FakeSource(later) }
    try first.awaitArrival()
    recording.pause()
    first.open()
    try second.awaitArrival()
    recording.pause(releasing: true)
    recording.pause(releasing: true)
    #expect(recording.isReleased)
    second.open()
    try closed.awaitArrival()
    clock.step(.seconds(1))
    // The device is closed but has not returned from the call, so the length is exact.
    recording.resume()
    closed.open()
    try end.awaitArrival()
    recording.stop()
    end.open()
    #expect(try recording.ended.descriptor.wait(upTo: .seconds(30)))
    let kept = (0..<4_800).map { UInt32($0 + 1) }
    #expect(contents.numbers == kept + kept.map { $0 + 1_000_000 })
    #expect(
      recording.takeEvents() == [
        PositionedEvent(at: 4_800, .paused),
        PositionedEvent(at: 4_800, .resumed(after: 4_800 + 48_000)),
      ])
  }

  @Test("may last until the end, and the frames recorded before it are kept")
  func toTheEnd() throws {
    let here = Gate()
    let script = FakeSource.Script([.deliver(4_800), .act { here.pass() }], clock: clock)
    let recording = try start(script) { nil }
    try pause(recording, at: here)
    recording.stop()
    #expect(try recording.ended.descriptor.wait(upTo: .seconds(30)))
    #expect(contents.numbers.count == 4_800 && recording.progress.frames.lost == 0)
    #expect(recording.end == RecordingEnd(capture: .stopped, write: .captureEnded))
  }

  @Test("ends the take if the device cannot be opened again")
  func gone() throws {
    let here = Gate()
    let script = FakeSource.Script([.deliver(4_800), .act { here.pass() }], clock: clock)
    let recording = try start(script) { nil }
    try pause(recording, at: here)
    recording.resume()
    #expect(try recording.ended.descriptor.wait(upTo: .seconds(30)))
    #expect(contents.numbers.count == 4_800 && recording.progress.frames.lost == 0)
    guard case .failed = recording.end?.capture else {
      Issue.record("\(String(describing: recording.end))")
      return
    }
  }
}
