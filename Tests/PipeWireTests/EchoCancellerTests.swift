import Audio
import Support
import Testing

@testable import PipeWire

@Suite("PipeWire's echo canceller", .requires(tool: "pipewire"))
struct EchoCancellerTests {
  /// Returns the last channel of a microphone after the canceller, without the delay of its output.
  private func cancelled(_ call: SimulatedCall, channels: Int) throws -> [Float] {
    let rate = try #require(SampleRate(call.rate))
    var canceller = try EchoCanceller(rate: rate, channels: #require(ChannelCount(channels)))
    let (size, near) = (canceller.blockSize, call.microphone)
    var output: [Float] = []
    for first in stride(from: 0, to: near.count - size + 1, by: size) {
      let block = Array(near[first..<first + size])
      var recorded = Array((0..<channels).map { _ in block }.joined())
      try canceller.process(&recorded, removing: Array(call.far[first..<first + size]))
      output += recorded.suffix(size)
    }
    return Array(output.dropFirst(try EchoCanceller.latency(at: rate)))
  }

  @Test(
    "lowers an echo and keeps speech",
    arguments: sampled([8_000, 16_000, 44_100, 48_000, 96_000], 2), [1, 2])
  func cancelled(rate: Int, channels: Int) throws {
    let call = SimulatedCall(rate: rate, seconds: 8, delay: 0.01, gain: 0.5)
    let output = try cancelled(call, channels: channels)
    let echo = output.indices.filter(call.isEchoAlone(at:))
    let speech = output.indices.filter(call.isSpeechAlone(at:))
    let near = call.microphone
    let reduction =
      SimulatedCall.level(echo.map { near[$0] }) - SimulatedCall.level(echo.map { output[$0] })
    #expect(reduction > 20, "\(reduction)")
    let change =
      SimulatedCall.level(speech.map { output[$0] }) - SimulatedCall.level(speech.map { near[$0] })
    #expect(abs(change) < 1, "\(change)")
  }

  @Test("delays its output by less than two blocks", arguments: [8_000, 11_025, 48_000, 192_000])
  func latency(hertz: Int) throws {
    let rate = try #require(SampleRate(hertz))
    let latency = try EchoCanceller.latency(at: rate)
    #expect(latency > 0 && latency <= hertz / 50, "\(latency)")
  }

  @Test("refuses a rate at which WebRTC would end the process")
  func rates() throws {
    let rate = try #require(SampleRate(1_000))
    #expect(throws: EchoCancellerError.failed) { try EchoCanceller.latency(at: rate) }
  }
}
