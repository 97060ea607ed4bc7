import Audio
import RealTime
import Testing

@Suite("Gain")
struct GainTests {
  func applied(_ gain: inout Gain, to samples: [Float]) -> [Float] {
    var samples = samples
    var span = samples.mutableSpan
    gain.apply(to: &span)
    return samples
  }

  @Test("A gain of one changes no bit, not even of NaN or infinity")
  func unity() {
    var gain = Gain(1, channels: .mono)
    let samples: [Float] = [0.1, -0.0, .infinity, .leastNonzeroMagnitude, .signalingNaN]
    #expect(applied(&gain, to: samples).map(\.bitPattern) == samples.map(\.bitPattern))
  }

  @Test("A gain of zero is silence, with any samples")
  func mute() {
    var gain = Gain(Float(Decibels.silence.amplitude), channels: .mono)
    #expect(applied(&gain, to: [1, .nan, .infinity, -3]) == [0, 0, 0, 0])
  }

  @Test("A ramp is linear, the same for each channel of a frame, and exact at its end")
  func ramp() {
    var gain = Gain(0, channels: .stereo)
    gain.move(to: 1, within: 4)
    let result = applied(&gain, to: [Float](repeating: 1, count: 12))
    #expect(result == [0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1, 1, 1, 1, 1])
    #expect(gain.ramp.framesLeft == 0)
  }

  @Test("A ramp continues over blocks of any size", arguments: [1, 3, 7, 64])
  func blocks(size: Int) {
    var whole = Gain(0.2, channels: .stereo)
    whole.move(to: 0.9, within: 50)
    var divided = whole
    let samples = [Float](repeating: 0.5, count: 2 * 64)
    let parts = stride(from: 0, to: samples.count, by: 2 * size).flatMap {
      applied(&divided, to: Array(samples[$0..<min($0 + 2 * size, samples.count)]))
    }
    #expect(parts == applied(&whole, to: samples))
  }

  @Test("A change in the middle of another one never steps by more than its ramp")
  func noClick() {
    var gain = Gain(1, channels: .mono)
    let ones = [Float](repeating: 1, count: 120)
    gain.move(to: 0, within: 240)
    var result = applied(&gain, to: ones)
    gain.move(to: 1, within: 240)
    result += applied(&gain, to: ones + ones + ones)
    let steps = zip(result, result.dropFirst()).map { abs($1 - $0) }
    #expect(steps.allSatisfy { $0 < 1.01 / 240 })
    #expect(result[119] < 0.51 && result.last == 1)
  }

  @Test("A change within no frames is immediate")
  func atOnce() {
    var gain = Gain(1, channels: .mono)
    gain.move(to: 0.5, within: 0)
    #expect(applied(&gain, to: [1, 1]) == [0.5, 0.5])
  }
}
