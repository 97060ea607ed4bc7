import Audio
import Support
import Testing

@testable import PipeWire

/// Captures of a source whose frames hold their numbers.
@Suite(
  "A capture of numbered frames", .requires("RECORDER_PACED_CARD"),
  .requires(package: "libpipewire-0.3"), .timeLimit(.minutes(5)))
struct NumberedCaptureTests {
  /// A stereo capture, with the numbers of frames that it has delivered and lost. Frames for which a
  /// busy source had no sound count as lost.
  private struct Numbered: ~Copyable {
    var capture: Capture
    var delivered = 0
    var lost = 0

    init(_ capture: consuming Capture) throws {
      self.capture = capture
      try self.capture.start()
    }

    /// Reads `count` frames, and further ones until the last ones have consecutive numbers. Returns
    /// by how many frames the last number differs from the number of delivered frames.
    mutating func distance(after count: Int) throws -> Int {
      for attempt in 0..<100 {
        let part = try capture.recordAll(attempt == 0 ? count : 2_048)
        delivered += part.samples.count / 2
        let frames = stride(from: 0, to: part.samples.count, by: 2)
        lost += part.lost + frames.count { part.samples[$0] == 0 && part.samples[$0 + 1] == 0 }
        let numbers = frames.suffix(500).map { index in
          NumberedCaptureTests.half(part.samples[index])
            | NumberedCaptureTests.half(part.samples[index + 1]) << 12
        }
        let isConsecutive = zip(numbers, numbers.dropFirst()).allSatisfy {
          $1 == ($0 + 1) & 0xFF_FFFF
        }
        if isConsecutive, let last = numbers.last { return (last - delivered) & 0xFF_FFFF }
      }
      throw NoNumbers()
    }
  }

  private struct NoNumbers: Error {}

  private static func half(_ sample: Float) -> Int { Int(sample * 2_048) + 2_048 }

  @Test("Two sources with the same device have the same frames")
  func twice() throws {
    let server = try PrivateServer()
    try server.playNumbers(to: "speaker:playback")
    var capture = try server.capture(.monitor("speaker"), .defaultMonitor)
    try capture.start()
    try capture.record { $0.contains { $0 != 0 } }
    let different = try capture.differences(in: 48_000)
    #expect(different == 0)
  }

  @Test("A speaker that drives is recorded completely while the length of the cycles changes")
  func lengths() throws {
    let server = try PrivateServer()
    try server.playNumbers(to: "speaker:playback", counting: true)
    var recorded = try Numbered(server.capture(.monitor("speaker")))
    var (distance, lost) = (try recorded.distance(after: 24_000), recorded.lost)
    for (former, length) in zip([1_024, 2_048, 256, 2_048, 512], [2_048, 256, 2_048, 512, 1_024]) {
      try server.setCycles(length)
      let next = try recorded.distance(after: 24_000)
      let change = (next - distance) & 0xFF_FFFF
      // A busy server may lose cycles, whose frames are counted, and at the change also a cycle of
      // the source alone.
      let most = recorded.lost - lost + min(former, length)
      #expect(min(change, 0x100_0000 - change) <= most, "cycles of \(length) frames")
      (distance, lost) = (next, recorded.lost)
    }
  }
}
