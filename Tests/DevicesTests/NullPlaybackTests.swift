import Audio
import Testing

@testable import Devices

@Suite("The built-in playback device")
struct NullPlaybackTests {
  private let clock = StepClock()
  private let mono = DeviceRequest(channels: .exactly(.mono))

  private func write(_ frames: Int, to sink: inout NullPlayback<StepClock>) -> Int {
    let bytes = [UInt8](repeating: 0, count: frames * sink.format.bytesPerFrame)
    return sink.write(bytes.span.bytes)
  }

  @Test("takes no more frames than its buffer holds")
  func capacity() {
    var sink = NullPlayback(named: "test:null", mono, clock: clock)
    #expect(write(30_000, to: &sink) == 24_000)
    #expect(write(1, to: &sink) == 0)
    #expect(sink.timing().available == 0)
  }

  @Test("plays frames that were written before its start, at the pace of the clock")
  func pace() {
    var sink = NullPlayback(named: "test:null", mono, clock: clock)
    #expect(write(24_000, to: &sink) == 24_000)
    clock.step(.seconds(9))
    sink.start()
    #expect(sink.timing().available == 0)
    clock.step(.milliseconds(1))
    #expect(sink.timing().available == 48)
    #expect(write(100, to: &sink) == 48)
  }

  @Test("waits until a period can be written")
  func wait() {
    var sink = NullPlayback(named: "test:null", mono, clock: clock)
    #expect(sink.wait(upTo: .seconds(1), wake: -1) == .ready)
    #expect(write(24_000, to: &sink) == 24_000)
    sink.start()
    let began = clock.monotonic
    #expect(sink.wait(upTo: .milliseconds(99), wake: -1) == .timedOut)
    #expect(sink.wait(upTo: .seconds(1), wake: -1) == .ready)
    #expect(clock.monotonic - began == .milliseconds(100) + .nanoseconds(1))
    #expect(sink.timing().available == 4_800)
  }

  @Test("continues without sound, shows the missing frames, and plays again")
  func underrun() {
    var sink = NullPlayback(named: "test:null", mono, clock: clock)
    #expect(write(480, to: &sink) == 480)
    sink.start()
    clock.step(.seconds(1))
    #expect(sink.timing().available - sink.capacity == FrameCount(47_520))
    #expect(write(30_000, to: &sink) == 24_000)
    clock.step(.milliseconds(10))
    #expect(sink.timing().available == 480)
  }
}
