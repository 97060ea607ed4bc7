import Foundation
import Support
import Testing

@testable import Analysis

@Suite("The search for an echo")
struct EchoSearchTests {
  private func call(_ delay: Double, gain: Float = 0.5) -> SimulatedCall {
    SimulatedCall(rate: EchoSearch.rate.hertz, seconds: 12, delay: delay, gain: gain)
  }

  /// Searches in blocks that fit no window.
  private func search(_ near: [Float], _ far: [Float], after delay: Int = 0) -> EchoSearch.Finding {
    var search = EchoSearch(after: delay)
    for first in stride(from: 0, to: near.count, by: 1_000) {
      let part = first..<min(first + 1_000, near.count)
      search.add(Array(near[part]), Array(far[part]))
    }
    return search.finish()
  }

  private func path(_ finding: EchoSearch.Finding) throws -> EchoPath {
    guard case .found(let path) = finding else {
      Issue.record("\(finding)")
      throw CancellationError()
    }
    return path
  }

  @Test("finds its delay to a sample", arguments: sampled([0, 0.005, 0.04, 0.2, 0.6], 2))
  func delay(seconds: Double) throws {
    let call = call(seconds)
    let path = try path(search(call.microphone, call.far))
    #expect(path.delay == Int(seconds * 8_000))
  }

  @Test("measures the power of the echo and of the noise", arguments: [Float(0.02), 0.5, 2])
  func powers(gain: Float) throws {
    let call = call(0.1, gain: gain)
    let first = try path(search(call.microphone, call.far))
    let path = try path(search(call.microphone, call.far, after: first.delay))
    #expect(path.delay == first.delay && path.powers.count == 60)
    let measured = 10 * log10(path.powers.reduce(0, +))
    let expected = SimulatedCall.level(call.echo) - SimulatedCall.level(call.far)
    #expect(abs(measured - expected) < 2, "\(measured), \(expected)")
    #expect(path.powers.prefix(8).reduce(0, +) > 0.9 * path.powers.reduce(0, +))
    #expect(abs(10 * log10(path.noise) + 66) < 3, "\(path.noise)")
  }

  @Test("finds none in speech alone, in the sound of the other side, and in silence")
  func absent() {
    let call = call(0.1)
    let silence = [Float](repeating: 0, count: call.far.count)
    #expect(search(call.near, call.far) == .absent)
    #expect(search(silence, call.far) == .absent)
    #expect(search(call.microphone, silence) == .silent)
    // The tracks are exchanged, so the echo would be earlier than its sound.
    #expect(search(call.far, call.microphone) == .absent)
  }

  @Test("finds no echo in two seconds of speech alone, but finds an echo that lasts one second")
  func short() throws {
    let call = call(0.1)
    let turn = 0..<8_000
    let path = try path(search(Array(call.microphone[turn]), Array(call.far[turn])))
    #expect(path.delay == 800)
    let (near, far) = (Array(call.near[20_000..<36_000]), Array(call.far[0..<16_000]))
    #expect(search(near, far) == .absent)
  }
}
