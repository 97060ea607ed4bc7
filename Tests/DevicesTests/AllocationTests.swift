import Audio
import CAllocations
import Support
import Testing

@testable import Devices

@Suite("A running stream")
struct AllocationTests {
  @Test("is read without allocations, for built-in devices and a fake card")
  func capture() throws {
    let scratch = try ScratchDirectory()
    let sound = try scratch.write(String(repeating: "sound ", count: 1_000_000), to: "sound")
    let pace = DeviceRequest(period: .milliseconds(1))
    for name in ["test:ramp", "test:tone", FakeCard.microphone(sound)] {
      var source = try CaptureDevice(name, pace)
      try source.start()
      let count = try allocations(reading: &source, blocks: 100)
      #expect(count == 0, "\(name)")
    }
  }

  @Test("is read without allocations if it combines devices without a common clock")
  func combined() throws {
    let names = ["test:ramp", "test:tone:440@+150ppm", "test:ramp@-80ppm"]
    let rate = try #require(SampleRate(4_000))
    var source = try CaptureDevice(
      names.map { Track(device: $0) },
      DeviceRequest(rate: .exactly(rate), period: .milliseconds(1)))
    try source.start()
    // Until it has begun.
    _ = try allocations(reading: &source, blocks: 200)
    let count = try allocations(reading: &source, blocks: 200)
    #expect(count == 0)
  }

  @Test("is written without allocations, for a built-in device and a fake card")
  func playback() throws {
    for name in ["test:null", FakeCard.speaker("/dev/null")] {
      var sink = try PlaybackDevice(name, DeviceRequest(period: .milliseconds(1)))
      try sink.start()
      let count = try allocations(writing: &sink, blocks: 100)
      #expect(count == 0, "\(name)")
    }
  }

  /// Returns the number of allocations after the first block. In the first block the runtime may
  /// create objects that it allocates only once.
  private func allocations(
    reading source: inout CaptureDevice, blocks: Int
  ) throws -> Int {
    var buffer = [UInt8](repeating: 0, count: 100 * source.format.bytesPerFrame)
    var before = 0
    for block in 0...blocks {
      if block == 1 { before = allocations_of_this_thread() }
      _ = try source.wait(upTo: .seconds(1), wake: -1)
      var span = buffer.mutableSpan
      var bytes = span.mutableBytes
      _ = try source.read(into: &bytes)
      _ = try source.timing()
    }
    return allocations_of_this_thread() - before
  }

  private func allocations(writing sink: inout PlaybackDevice, blocks: Int) throws -> Int {
    let buffer = [UInt8](repeating: 0, count: 48 * sink.format.bytesPerFrame)
    var before = 0
    for block in 0...blocks {
      if block == 1 { before = allocations_of_this_thread() }
      _ = try sink.wait(upTo: .seconds(1), wake: -1)
      _ = try sink.write(buffer.span.bytes)
      _ = try sink.timing()
    }
    return allocations_of_this_thread() - before
  }
}
