import Audio
import CAllocations
import Devices
import Linux
import RealTime
import Support
import Synchronization
import Testing

@testable import Recording

@Suite("A recording", .timeLimit(.minutes(10)))
struct RecordingTests {
  private let contents = MemoryFile.Contents()
  private let clock = FakeClock()

  private func start(
    _ steps: [FakeSource.Step], _ settings: RecordingSettings = .init(), capacity: Int = .max,
    cannotRefresh: Bool = false, gate: Gate? = nil
  ) throws -> Recording {
    let source = FakeSource(FakeSource.Script(steps, clock: clock))
    var file = MemoryFile(stream: source.format, contents: contents)
    file.capacity = capacity
    file.cannotRefresh = cannotRefresh
    file.gate = gate
    var settings = settings
    settings.clock = clock
    return try Recording(
      from: source, to: file, converter: NoConverter?.none, settings,
      files: TakeFiles { _, _, _ in }, reopen: { nil })
  }

  private func expectEnd(_ recording: Recording) throws {
    #expect(try recording.ended.descriptor.wait(upTo: .seconds(30)))
  }

  /// Returns a script that waits at the gate at its end, and is then silent.
  private func blocks(_ count: Int, then gate: Gate) -> [FakeSource.Step] {
    Array(repeating: .deliver(4800), count: count) + [.act { gate.pass() }]
  }

  private func ramp(_ range: Range<Int>) -> [UInt32] { range.map { UInt32($0 + 1) } }

  @Test("has every frame until the stop in its file, in order")
  func everyFrame() throws {
    let here = Gate()
    let recording = try start(blocks(30, then: here))
    try here.awaitArrival()
    #expect(recording.captured == 144_000)
    recording.stop()
    here.open()
    try expectEnd(recording)
    #expect(contents.numbers == ramp(0..<144_000))
    #expect(recording.progress.frames.onDisk == 144_000)
    #expect(recording.end == RecordingEnd(capture: .stopped, write: .captureEnded))
  }

  @Test("A piece is in the header as soon as it is written, and not only with the next piece")
  func header() throws {
    let (here, end) = (Gate(), Gate())
    let recording = try start([.act { here.pass() }] + blocks(1, then: end))
    recording.leaveUnattended(true)
    try here.awaitArrival()
    // The header becomes due by the kernel's clock, so the test has to wait.
    KernelClock.sleep(TakeOutput<MemoryFile, NoConverter>.refreshInterval)
    let (opened, wait) = (ContinuousClock.now, ProcessorWait())
    here.open()
    contents.awaitHeader(of: 4800 * 4)
    #expect(ContinuousClock.now - opened < .milliseconds(300) + wait.longest)
    recording.stop()
    end.open()
    try expectEnd(recording)
  }

  @Test("applies a pause, a mark and a cut at the frames at which they were given")
  func orders() throws {
    let (first, second, third) = (Gate(), Gate(), Gate())
    let recording = try start(
      blocks(2, then: first) + blocks(3, then: second) + blocks(1, then: third))
    try first.awaitArrival()
    recording.pause()
    first.open()
    try second.awaitArrival()
    recording.resume()
    recording.mark("here")
    second.open()
    try third.awaitArrival()
    recording.cut()
    third.open()
    try expectEnd(recording)
    let kept = ramp(0..<9600) + ramp(24_000..<28_800)
    #expect(contents.numbers == kept)
    #expect(
      recording.takeEvents() == [
        PositionedEvent(at: 9600, .paused), PositionedEvent(at: 9600, .resumed(after: 14_400)),
        PositionedEvent(at: 9600, .mark("here")),
      ])
    #expect(recording.end?.write == .ordered)
  }

  @Test("ends when its file fails, and the file then holds a prefix")
  func failingFile() throws {
    let here = Gate()
    let recording = try start(blocks(30, then: here), capacity: 40_000)
    here.open()
    try expectEnd(recording)
    #expect(contents.numbers == ramp(0..<contents.numbers.count))
    #expect(recording.end?.write == .failed("the disk is on fire"))
    #expect(recording.progress.frames.onDisk == FrameCount(contents.numbers.count))
  }

  @Test("fails if the header of its complete file cannot be written")
  func failingHeader() throws {
    let here = Gate()
    let recording = try start(blocks(2, then: here), cannotRefresh: true)
    try here.awaitArrival()
    recording.stop()
    here.open()
    try expectEnd(recording)
    #expect(recording.end?.write == .failed("the disk is on fire"))
  }

  @Test("keeps only the frames that are written already, if the time of a lost access is unknown")
  func lostAccess() throws {
    let (disk, here, end) = (Gate(), Gate(), Gate())
    let recording = try start(blocks(1, then: here) + blocks(10, then: end), gate: disk)
    // The writer has claimed the first block, or the part of it that had arrived.
    try disk.awaitArrival()
    here.open()
    try end.awaitArrival()
    recording.cut(since: nil)
    disk.open()
    end.open()
    try expectEnd(recording)
    let kept = contents.numbers
    #expect((1...4_800).contains(kept.count) && kept == ramp(0..<kept.count))
    #expect(recording.end?.write == .ordered)
  }

  @Test("loses nothing while its disk stalls for eight seconds")
  func shortStall() throws {
    let (disk, here, end) = (Gate(), Gate(), Gate())
    let recording = try start(blocks(1, then: here) + blocks(80, then: end), gate: disk)
    try disk.awaitArrival()
    here.open()
    try end.awaitArrival()
    #expect(recording.captured == 388_800)
    #expect(recording.lost == 0)
    disk.open()
    recording.stop()
    end.open()
    try expectEnd(recording)
    #expect(contents.numbers == ramp(0..<(81 * 4800)))
    #expect(recording.progress.frames.lost == 0)
  }

  @Test("immediately reports, and counts exactly, the loss from a disk that stalls for too long")
  func longStall() throws {
    let (disk, here) = (Gate(), Gate())
    let (later, end) = (Gate(), Gate())
    var settings = RecordingSettings()
    settings.memory = .seconds(3)
    let recording = try start(
      blocks(1, then: here) + blocks(60, then: later) + blocks(3, then: end), settings, gate: disk)
    try disk.awaitArrival()
    here.open()
    try later.awaitArrival()
    // The ring of three seconds. It also contains the block that is being written.
    #expect(recording.captured == 144_000)
    let lost = 61 * 4800 - 144_000
    #expect(recording.lost == FrameCount(lost))
    disk.open()
    contents.await(144_000 * 4)
    later.open()
    try end.awaitArrival()
    recording.stop()
    end.open()
    try expectEnd(recording)
    let silence = [UInt32](repeating: 0, count: lost)
    let expected = ramp(0..<144_000) + silence + ramp(292_800..<307_200)
    #expect(contents.numbers == expected)
    #expect(
      recording.progress.gaps == [
        Gap(position: 144_000, length: FrameCount(lost), cause: .disk)
      ])
    let frames = recording.progress.frames
    #expect(frames.lost == FrameCount(lost))
    #expect(frames.filled == FrameCount(lost))
  }

  @Test("from a built-in device has every frame of it")
  func builtIn() throws {
    var settings = RecordingSettings()
    settings.limits.frames = 9_999
    let file = MemoryFile(
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), contents: contents)
    let recording = try Recording(
      from: try CaptureDevice("test:ramp"), to: file, converter: NoConverter?.none, settings,
      files: TakeFiles { _, _, _ in }, reopen: { nil })
    try expectEnd(recording)
    #expect(contents.numbers.elementsEqual(0..<9_999))
    #expect(recording.end?.write == .duration)
  }
}

@Suite("The capture thread")
struct CaptureThreadTests {
  @Test(
    "allocates nothing while it runs",
    arguments: [["test:ramp"], ["test:ramp", "test:tone:440@+200ppm", "test:ramp@-150ppm"]])
  func allocations(devices: [String]) throws {
    let rate = try #require(SampleRate(8_000))
    var source = try CaptureDevice(
      devices.map { Track(device: $0) },
      DeviceRequest(rate: .exactly(rate), channels: .exactly(.mono), period: .milliseconds(1)))
    try source.start()
    let state = try CaptureState(Timeline(KernelStreamClock(), at: source.format.rate))
    var frames = SampleRing(capacity: 480_000, bytesPerFrame: source.format.bytesPerFrame)
    var gaps = SampleRing(capacity: 16, bytesPerFrame: GapRecord.bytes)
    var loop = CaptureLoop(
      source, frames: frames.writer(), gaps: gaps.writer(), state: state, patience: nil,
      clock: KernelStreamClock(), reopen: { nil })
    // In the first second the runtime may create objects that it allocates only once.
    while state.captured.load(ordering: .relaxed) < 8_000 { #expect(loop.step() == nil) }
    let before = allocations_of_this_thread()
    var end: CaptureEnd?
    while end == nil && state.captured.load(ordering: .relaxed) < 16_000 { end = loop.step() }
    #expect(allocations_of_this_thread() - before == 0)
    // A busy machine may lose frames, and then the loop must not allocate, either.
    #expect(end == nil && state.missing.isEmpty)
  }
}
