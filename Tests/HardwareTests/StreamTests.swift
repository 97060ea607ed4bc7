import Audio
import CAllocations
import Devices
import Linux
import Support
import Testing

@Suite(
  "A stream of a kernel driver", .requires("RECORDER_KERNEL_CARDS"), .serialized,
  .timeLimit(.minutes(1)))
struct StreamTests {
  @Test("runs by its own clock from its start", arguments: ["Dummy", "HDA"])
  func timing(card: String) throws {
    var source = try CaptureDevice("hw:CARD=\(card)")
    try source.start()
    let started = KernelClock.monotonic.now
    let captured = try read(&source, for: .seconds(2))
    let timing = try source.timing()
    let truth = FrameCount(timing.instant - started, at: source.format.rate)
    let error = FrameCount(captured) + timing.available - truth
    print("\(card): off by \(error.value) frames after \(truth.value)")
    let period = source.setup.period
    #expect(abs(error.value) <= period.value)
  }

  @Test("is read without allocations")
  func allocation() throws {
    var source = try CaptureDevice("hw:CARD=Dummy", DeviceRequest(period: .milliseconds(20)))
    try source.start()
    try read(&source, for: .milliseconds(100))
    let before = allocations_of_this_thread()
    // The buffer of this call is the one allocation.
    try read(&source, for: .seconds(1))
    let count = allocations_of_this_thread() - before
    #expect(count <= 1)
  }

  @Test("stops waiting immediately on a wake")
  func wake() throws {
    let event = try Event()
    var source = try CaptureDevice("hw:CARD=Dummy")
    try source.start()
    event.signal()
    #expect(try source.wait(upTo: .seconds(5), wake: event.descriptor.number) == .woken)
    event.clear()
    #expect(try source.wait(upTo: .seconds(5), wake: event.descriptor.number) == .ready)
  }

  @Test("starts again after a stop")
  func restart() throws {
    var source = try CaptureDevice("hw:CARD=Dummy")
    try source.start()
    try read(&source, for: .milliseconds(300))
    source.stop()
    #expect(try source.recover())
    let captured = try read(&source, for: .milliseconds(500))
    #expect(captured > 0)
  }

  @Test("that had an underrun reports it, and plays again once it is prepared")
  func underrun() throws {
    let request = DeviceRequest(period: .milliseconds(50), buffer: .milliseconds(500))
    var sink = try PlaybackDevice("hw:CARD=Dummy", request)
    let silence = [UInt8](repeating: 0, count: 9_600 * sink.format.bytesPerFrame)
    for _ in 0..<2 {
      #expect(try sink.write(silence.span.bytes) == 9_600)
      try sink.start()
      let error = #expect(throws: StreamError.self) {
        while try sink.wait(upTo: .seconds(2), wake: -1) == .ready {}
      }
      #expect(error?.condition == .xrun)
      #expect(try sink.recover())
    }
  }

  @Test("behind a plugin reports that it was not read in time, and continues")
  func plugin() throws {
    let request = DeviceRequest(period: .milliseconds(50), buffer: .milliseconds(500))
    var source = try CaptureDevice("dsnoop:CARD=Loopback,DEV=0", request)
    let counts = source.countsLostFrames
    #expect(!counts)
    try source.start()
    for _ in 0..<2 {
      let error = #expect(throws: StreamError.self) {
        while try source.wait(upTo: .seconds(2), wake: -1) == .ready {}
      }
      #expect(error?.condition == .xrun)
      #expect(try source.recover())
      let captured = try read(&source, for: .milliseconds(300))
      #expect(captured > 0)
    }
  }

  @Test("reports within two seconds that its device was removed", .requiresRoot)
  func disconnect() throws {
    var source = try CaptureDevice("hw:CARD=Dummy")
    try source.start()
    try read(&source, for: .milliseconds(300))
    let driver = "/sys/bus/platform/drivers/snd_dummy"
    // The kernel may release the card only after this process has closed it, so the shell waits.
    let shell = Spawn("/bin/sh", ["-c", "echo snd_dummy.0 > \(driver)/unbind"])
    let unbinding = try shell.start()
    let began = KernelClock.monotonic.now
    let error = #expect(throws: StreamError.self) { try read(&source, for: .seconds(10)) }
    let passed = KernelClock.monotonic.now - began
    print("gone after \(passed): \(String(describing: error))")
    #expect(error?.condition == .disconnected)
    #expect(passed < .seconds(2))
    let again = #expect(throws: StreamError.self) { try source.recover() }
    #expect(again?.condition == .disconnected)
    _ = consume source
    #expect(try unbinding.wait() == .exited(0))
    let missing = #expect(throws: DeviceError.self) { _ = try CaptureDevice("hw:CARD=Dummy") }
    if case .missing = missing {} else { Issue.record("\(String(describing: missing))") }
    _ = try Tool.run("/bin/sh", ["-c", "echo snd_dummy.0 > \(driver)/bind"])
  }

  @discardableResult
  private func read(_ source: inout CaptureDevice, for time: Duration) throws -> Int {
    var buffer = [UInt8](repeating: 0, count: 9_600 * source.format.bytesPerFrame)
    let end = KernelClock.monotonic.now + time
    var captured = 0
    while KernelClock.monotonic.now < end {
      _ = try source.wait(upTo: .milliseconds(500), wake: -1)
      var span = buffer.mutableSpan
      var bytes = span.mutableBytes
      captured += try source.read(into: &bytes).count
    }
    return captured
  }
}
