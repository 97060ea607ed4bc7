import Audio
import Linux
import Support
import Testing

@testable import Recording

@Suite("The length of a take", .timeLimit(.minutes(5)))
struct TakeLengthTests {
  private let clock = FakeClock()
  private let contents = MemoryFile.Contents()
  /// Blocks the writer at its first frames.
  private let disk = Gate()
  /// Blocks the capture after 4,800 frames.
  private let middle = Gate()
  /// Blocks the capture after 9,600 frames.
  private let end = Gate()

  /// Starts a take, and returns once the first 4,800 frames are captured and none of them is
  /// written.
  private func start(_ limits: TakeLimits = .init()) throws -> Recording {
    let script = FakeSource.Script(
      [
        .deliver(4_800), .act { [middle] in middle.pass() }, .deliver(4_800),
        .act { [end] in end.pass() },
      ], clock: clock)
    let source = FakeSource(script)
    var file = MemoryFile(stream: source.format, contents: contents)
    file.gate = disk
    var settings = RecordingSettings()
    (settings.clock, settings.limits) = (clock, limits)
    let recording = try Recording(
      from: source, to: file, converter: NoConverter?.none, settings,
      files: TakeFiles { _, _, _ in }, reopen: { nil })
    try middle.awaitArrival()
    try disk.awaitArrival()
    return recording
  }

  private func finish(_ recording: Recording) throws {
    recording.stop()
    for gate in [disk, middle, end] { gate.open() }
    #expect(try recording.ended.descriptor.wait(upTo: .seconds(30)))
  }

  @Test("counts frames that are not written yet, and those that the device still holds")
  func unwritten() throws {
    let recording = try start()
    #expect(recording.progress.frames.onDisk == 0)
    #expect(recording.length == 4_800)
    clock.step(.milliseconds(10))
    #expect(recording.length == 5_280)
    try finish(recording)
    #expect(recording.length == FrameCount(contents.numbers.count))
  }

  @Test("does not change in a pause, before and after the writer reaches it")
  func paused() throws {
    let recording = try start()
    clock.step(.milliseconds(10))
    recording.pause()
    clock.step(.milliseconds(50))
    #expect(recording.length == 5_280)
    middle.open()
    disk.open()
    contents.await(4 * 5_280)
    try end.awaitArrival()
    #expect(recording.length == 5_280)
    try finish(recording)
    #expect(recording.length == 5_280 && contents.numbers.count == 5_280)
  }

  @Test("continues at the same length after a pause")
  func resumed() throws {
    let recording = try start()
    clock.step(.milliseconds(10))
    recording.pause()
    clock.step(.milliseconds(50))
    recording.resume()
    #expect(recording.length == 5_280)
    clock.step(.milliseconds(10))
    #expect(recording.length == 5_760)
    middle.open()
    try end.awaitArrival()
    #expect(recording.length == 7_200)
    try finish(recording)
    let kept = Array<UInt32>(1...5_280) + Array<UInt32>(7_681...9_600)
    #expect(contents.numbers == kept && recording.length == 7_200)
  }

  @Test("does not exceed the limit of the take")
  func limited() throws {
    let recording = try start(TakeLimits(frames: 4_000))
    #expect(recording.length == 4_000)
    try finish(recording)
    #expect(recording.length == 4_000 && contents.numbers.count == 4_000)
  }

  @Test("includes the time of a missing device, except in a pause")
  func missing() throws {
    let script = FakeSource.Script([.deliver(4_800), .fail(.disconnected)], clock: clock)
    let source = FakeSource(script)
    let file = MemoryFile(stream: source.format, contents: contents)
    var settings = RecordingSettings()
    (settings.clock, settings.limits) = (clock, TakeLimits(frames: 20_000))
    settings.patience = .seconds(1_000)
    let recording = try Recording(
      from: source, to: file, converter: NoConverter?.none, settings,
      files: TakeFiles { _, _, _ in }
    ) { [middle] in
      // The first attempt comes after 250 ms, which are 12,000 frames.
      middle.pass()
      return nil
    }
    try middle.awaitArrival()
    try eventually { recording.progress.frames.captured == 4_800 }
    #expect(recording.lost == 12_000 && !recording.isFullOfLosses)
    recording.setLimit(16_800)
    #expect(recording.isFullOfLosses)
    recording.pause()
    #expect(!recording.isFullOfLosses)
    recording.resume()
    #expect(recording.isFullOfLosses)
    try finish(recording)
    #expect(contents.numbers.count == 4_800)
  }
}
