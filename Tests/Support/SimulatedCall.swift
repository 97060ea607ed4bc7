import Foundation

/// A call that a microphone and the loudspeaker of the other side have recorded. The speech is noise
/// with syllables and pauses.
package struct SimulatedCall {
  /// The number of samples per second.
  package let rate: Int
  /// The sound of the loudspeaker.
  package let far: [Float]
  /// The speech at the microphone.
  package let near: [Float]
  /// The echo at the microphone.
  package private(set) var echo: [Float]

  /// A call of two sides that speak for two seconds each, with pauses of half a second. The other
  /// side begins.
  ///
  /// - Parameters:
  ///   - delay: the time from the loudspeaker to the microphone.
  ///   - gain: the amplitude of the direct sound of the loudspeaker at the microphone.
  package init(rate: Int, seconds: Int, delay: Double, gain: Float) {
    self.rate = rate
    var random = SeededGenerator(seed: 7)
    let count = rate * seconds
    var (far, near) = ([Float](repeating: 0, count: count), [Float](repeating: 0, count: count))
    var (previous, isFar) = (Float(0), true)
    for start in stride(from: 0, to: count - 2 * rate, by: 5 * rate / 2) {
      for index in 0..<(2 * rate) {
        let syllable = Float(sin(.pi * 4 * Double(index) / Double(rate)))
        previous = 0.7 * previous + Float.random(in: -0.2...0.2, using: &random)
        let sample = previous * syllable * syllable
        if isFar { far[start + index] = sample } else { near[start + index] = sample }
      }
      isFar.toggle()
    }
    (self.far, self.near) = (far, near)
    echo = Array(repeating: 0, count: count)
    add(gain, after: Int(delay * Double(rate)))
    // Reflections, each weaker than the one before it.
    for reflection in 1...30 {
      let later = delay + 0.002 * Double(reflection) + Double.random(in: 0...0.002, using: &random)
      let sign: Float = Bool.random(using: &random) ? 1 : -1
      add(sign * gain * 0.4 * pow(0.85, Float(reflection)), after: Int(later * Double(rate)))
    }
  }

  private mutating func add(_ gain: Float, after delay: Int) {
    for index in delay..<echo.count { echo[index] += gain * far[index - delay] }
  }

  /// The sound of the microphone: the speech, the echo, and noise at -66 dBFS.
  package var microphone: [Float] {
    var random = SeededGenerator(seed: 11)
    return near.indices.map { index in
      near[index] + echo[index] + Float.random(in: -0.0009...0.0009, using: &random)
    }
  }

  /// Returns whether only the other side speaks at a sample.
  package func isEchoAlone(at index: Int) -> Bool { turn(at: index) == 0 && isInTurn(index) }

  /// Returns whether only the microphone's side speaks at a sample.
  package func isSpeechAlone(at index: Int) -> Bool { turn(at: index) == 1 && isInTurn(index) }

  /// Returns 0 in a turn of the other side, and 1 in a turn of the microphone.
  private func turn(at index: Int) -> Int { index / (5 * rate / 2) % 2 }

  /// Returns whether a sample is in the middle of a turn.
  private func isInTurn(_ index: Int) -> Bool {
    let position = index % (5 * rate / 2)
    return (rate / 2..<2 * rate - rate / 10).contains(position)
  }

  /// Returns the mean level of some samples in decibels.
  package static func level(_ samples: some Sequence<Float>) -> Double {
    var (sum, count) = (0.0, 0)
    for sample in samples {
      sum += Double(sample * sample)
      count += 1
    }
    return 10 * log10(sum / Double(max(1, count)) + 1e-12)
  }
}
