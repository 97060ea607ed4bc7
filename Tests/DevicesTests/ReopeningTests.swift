import Audio
import Glibc
import Support
import Synchronization
import Testing

@testable import Devices

@Suite("The reopening of a device", .timeLimit(.minutes(5)))
struct ReopeningTests {
  private static func source(
    _ control: FaultySource.Control, channels: ChannelCount = .stereo
  ) throws -> FaultySource {
    let clock = StepClock()
    let request = DeviceRequest(channels: .exactly(channels))
    return FaultySource(
      try WaveCapture(.ramp, named: "test:", request, clock: clock), clock, control)
  }

  @Test("happens on another thread, until the device has the same format")
  func otherThread() throws {
    let control = FaultySource.Control()
    let device = try Self.source(control)
    let attempts = Mutex<[pthread_t]>([])
    let reopening = Reopening<FaultySource>(device.format, onOwnThread: true) {
      let count = attempts.withLock { attempts in
        attempts.append(pthread_self())
        return attempts.count
      }
      return try? Self.source(control, channels: count == 1 ? .mono : .stereo)
    }
    reopening.close(device)
    try eventually { control.isClosed.withLock { $0 } }
    #expect(attempts.withLock { $0 }.isEmpty)
    try eventually { reopening.take() != nil }
    let threads = attempts.withLock { $0 } + [control.closer.withLock { $0 }].compactMap(\.self)
    #expect(threads.count == 3 && !threads.contains(pthread_self()))
    // The device was started.
    #expect(control.started.withLock { $0 } > .zero)
  }

  @Test("does not wait for a device that hangs at its end")
  func hang() throws {
    let end = Gate()
    let control = FaultySource.Control(end: end)
    let device = try Self.source(control)
    let reopening = Reopening<FaultySource>(device.format, onOwnThread: true) { nil }
    reopening.close(device)
    try end.awaitArrival()
    #expect(!control.isClosed.withLock { $0 })
    end.open()
    try eventually { control.isClosed.withLock { $0 } }
  }

  @Test("closes a device once, also after a second order to close")
  func twice() throws {
    for _ in 0..<50 {
      let control = FaultySource.Control()
      let device = try Self.source(control)
      let reopening = Reopening<FaultySource>(device.format, onOwnThread: true) { nil }
      reopening.close(device)
      let none: FaultySource? = nil
      reopening.close(none)
      try eventually { control.isClosed.withLock { $0 } }
    }
  }

  @Test("closes a device that is opened after the attempts were stopped")
  func stopped() throws {
    let gate = Gate()
    let control = FaultySource.Control()
    let attempts = Atomic(0)
    let reopening = Reopening<FaultySource>(
      try Self.source(control).format, onOwnThread: true
    ) {
      attempts.add(1, ordering: .relaxed)
      gate.pass()
      return try? Self.source(control)
    }
    let isReady = reopening.take() != nil
    #expect(!isReady)
    try gate.awaitArrival()
    let none: FaultySource? = nil
    reopening.close(none)
    gate.open()
    try eventually { control.isClosed.withLock { $0 } }
    #expect(attempts.load(ordering: .relaxed) == 1)
  }

  @Test("silences the tracks of the device that were silenced before")
  func silenced() throws {
    let control = FaultySource.Control()
    let source = QueuedSource(try Self.source(control), tracks: [0, 2], channels: .stereo) {
      try? Self.source(control)
    }
    source.silence(TrackSet([1, 2]))
    #expect(control.silenced.withLock { $0 } == TrackSet(index: 1))
    #expect(source.recorded == TrackSet(index: 0))
    control.silenced.withLock { $0 = TrackSet() }
    source.close()
    #expect(source.isMissing && source.reopen(at: 0))
    #expect(control.silenced.withLock { $0 } == TrackSet(index: 1))
  }
}
