package import Audio
internal import Glibc

/// The echo of a loudspeaker's sound in a microphone.
package struct EchoPath: Hashable, Sendable {
  /// The time from a sound to its strongest echo, in samples at the rate of the search. The
  /// strongest echo is usually the first.
  package let delay: Int
  /// The power of the echo relative to the loudspeaker's sound, in slices of 10 ms. The first slice
  /// begins 5 ms before the strongest echo.
  package let powers: [Double]
  /// The power of the microphone's background noise. For a tenth of the time, the microphone is
  /// quieter than this power.
  package let noise: Double

  /// An echo with known properties.
  package init(delay: Int, powers: [Double], noise: Double) {
    (self.delay, self.powers, self.noise) = (delay, powers, noise)
  }
}

/// A search for the echo of one sound in another, by their cross-correlation.
///
/// To measure an echo, make two searches. The first search finds the delay. The second search
/// begins with this delay, and measures the powers of the echo.
package struct EchoSearch: ~Copyable {
  /// The result of a search.
  package enum Finding: Hashable, Sendable {
    /// The loudspeaker is silent.
    case silent
    /// The microphone has no echo.
    case absent
    /// The microphone has an echo.
    case found(EchoPath)
  }

  /// The rate of both sounds. The important frequencies of speech are below half of this rate.
  package static var rate: SampleRate { SampleRate(8_000) ?? .hz48000 }
  /// The number of samples in a window (2 s), and the number of samples between the starts of two
  /// consecutive windows.
  private static let (size, step) = (16_384, 8_192)
  /// The delays to compare: from -300 to 700 ms.
  private static let delays = -2_400..<5_600
  /// The lowest delay of an echo: -20 ms. It is not 0, because the delays of devices are not exact.
  private static let earliest = -160
  /// The frequencies to compare: from 150 to 3,700 Hz.
  private static let frequencies = 307..<7_578
  /// The power of silence: -80 dBFS.
  private static let silence: Float = 1e-8
  /// The lowest peak that counts as an echo, relative to the root mean square of the correlation at
  /// the delays around the peak.
  private static let threshold = 12.0
  /// The number of delays to compare with a peak, on each side of the peak: 100 ms. At farther
  /// delays, a short sound is compared with the next sound, which can be similar by chance.
  private static let around = 800
  /// The number of samples in a slice of 10 ms, and the number of slices in `EchoPath.powers`.
  private static let (slice, slices) = (80, 60)

  private let delay: Int
  private let window: [Float]
  private var fourier = Fourier(EchoSearch.size)
  private var recorded: [Float]
  private var played: [Float]
  private var windows = 0
  /// The sum of the cross-spectra, with each number scaled to magnitude 1. Because of this scaling,
  /// the peak of the correlation is narrow for any sound.
  private var phases = Spectrum()
  /// The sum of the cross-spectra, and the sum of the powers of the played sound. Windows in which
  /// the microphone is loud have less weight, because they contain speech.
  private var products = Spectrum()
  private var powers = [Float](repeating: 0, count: EchoSearch.size / 2)

  /// The number of slices of the microphone at each level, from -100 dBFS in steps of 1 dB.
  private var levels = [Int](repeating: 0, count: 101)

  /// Complex numbers for the frequencies from 0 to half of the rate.
  private struct Spectrum {
    var real = [Float](repeating: 0, count: EchoSearch.size / 2)
    var imaginary = [Float](repeating: 0, count: EchoSearch.size / 2)
  }

  /// A search for an echo near a known delay, which is in samples at the rate of the search.
  package init(after delay: Int = 0) {
    self.delay = delay
    window = (0..<Self.size).map { index in
      Float(0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(Self.size)))
    }
    // The first window begins half a window before the sound.
    recorded = Array(repeating: 0, count: Self.step + max(0, -delay))
    played = Array(repeating: 0, count: Self.step + max(0, delay))
  }

  /// Adds samples of the microphone, and the same number of samples of the loudspeaker.
  package mutating func add(_ recorded: [Float], _ played: [Float]) {
    self.recorded += recorded
    self.played += played
    while min(self.recorded.count, self.played.count) >= Self.size { takeWindow() }
  }

  private mutating func takeWindow() {
    let (near, far) = (recorded[..<Self.size], played[..<Self.size])
    if Self.power(far) >= Self.silence {
      windows += 1
      if Self.power(near) >= Self.silence / 10 { add(fourier.transformed(near, far, by: window)) }
    }
    for first in stride(from: Self.step, to: Self.size - Self.slice, by: Self.slice) {
      let level = 10 * log10(Self.power(recorded[first..<first + Self.slice]))
      // Digital silence is not noise.
      if level > -100 { levels[Int(min(level, 0) + 100)] += 1 }
    }
    recorded.removeFirst(Self.step)
    played.removeFirst(Self.step)
  }

  private static func power(_ samples: ArraySlice<Float>) -> Float {
    samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
  }

  /// Adds the spectra of a window. The microphone is in the real parts of the transformed samples,
  /// and the loudspeaker in their imaginary parts.
  private mutating func add(_ both: (real: [Float], imaginary: [Float])) {
    var near = Spectrum()
    var far = Spectrum()
    var loudness: Float = 0
    for index in Self.frequencies {
      let other = Self.size - index
      near.real[index] = (both.real[index] + both.real[other]) / 2
      near.imaginary[index] = (both.imaginary[index] - both.imaginary[other]) / 2
      far.real[index] = (both.imaginary[index] + both.imaginary[other]) / 2
      far.imaginary[index] = (both.real[other] - both.real[index]) / 2
      let (a, b) = (near.real[index], near.imaginary[index])
      loudness += a * a + b * b
    }
    let weight = 1 / (loudness + 1e-9)
    for index in Self.frequencies {
      let (a, b) = (near.real[index], near.imaginary[index])
      let (c, d) = (far.real[index], far.imaginary[index])
      let (real, imaginary) = (a * c + b * d, b * c - a * d)
      let power = c * c + d * d
      // The two signals share one transform, so its rounding errors make the weaker signal similar
      // to the stronger signal. The term `rounding` reduces the weight of a frequency at which
      // these errors are large.
      let rounding = 1e-5 * (a * a + b * b + power) + 1e-20
      let size = (real * real + imaginary * imaginary).squareRoot() + rounding
      phases.real[index] += real / size
      phases.imaginary[index] += imaginary / size
      products.real[index] += real * weight
      products.imaginary[index] += imaginary * weight
      powers[index] += power * weight
    }
  }

  /// Ends the search and returns its result.
  package consuming func finish() -> Finding {
    add(Array(repeating: 0, count: Self.size), Array(repeating: 0, count: Self.size))
    guard windows > 0 else { return .silent }
    let correlation = correlation(phases)
    let possible = correlation.indices.dropFirst(Self.earliest - Self.delays.lowerBound)
    let peak = possible.max { abs(correlation[$0]) < abs(correlation[$1]) } ?? 0
    let around = peak - Self.around..<peak + Self.around
    let others = correlation[around.clamped(to: correlation.indices)]
    let mean = others.reduce(0) { $0 + Double($1 * $1) } / Double(others.count)
    guard Double(abs(correlation[peak])) > Self.threshold * mean.squareRoot() else {
      return .absent
    }
    let first = delay + Self.delays.lowerBound + peak
    return .found(EchoPath(delay: first, powers: echoPowers(), noise: noise))
  }

  private var noise: Double {
    let tenth = levels.reduce(0, +) / 10
    var count = 0
    let level = levels.firstIndex { number in
      count += number
      return count > tenth
    }
    return pow(10, Double((level ?? 0) - 100) / 10)
  }

  /// Returns the correlation at all delays that are searched.
  private mutating func correlation(_ spectrum: Spectrum) -> [Float] {
    var real = [Float](repeating: 0, count: Self.size)
    var imaginary = real
    // The transform of the conjugates gives the inverse transform.
    for index in Self.frequencies {
      real[index] = spectrum.real[index]
      real[Self.size - index] = spectrum.real[index]
      imaginary[index] = -spectrum.imaginary[index]
      imaginary[Self.size - index] = spectrum.imaginary[index]
    }
    let ones = [Float](repeating: 1 / Float(Self.size), count: Self.size)
    let result = fourier.transformed(real[...], imaginary[...], by: ones).real
    return Self.delays.map { result[($0 + Self.size) % Self.size] }
  }

  /// Returns the powers of the response of the room. The mean power before the first echo is noise,
  /// which is subtracted.
  private mutating func echoPowers() -> [Double] {
    let mean = Self.frequencies.reduce(Float(0)) { $0 + powers[$1] } / Float(Self.frequencies.count)
    var response = products
    for index in Self.frequencies {
      let power = powers[index] + mean / 1_000
      guard power > 0 else { continue }
      response.real[index] /= power
      response.imaginary[index] /= power
    }
    let squares = correlation(response).map { Double($0 * $0) }
    let start = -Self.delays.lowerBound - Self.slice / 2
    let before = squares[..<(start - Self.slice)]
    let noise = before.reduce(0, +) / Double(before.count) * Double(Self.slice)
    return (0..<Self.slices).map { index in
      let first = start + index * Self.slice
      let sum = squares[first..<first + Self.slice].reduce(0, +)
      return sum > 1.5 * noise ? sum - noise : 0
    }
  }
}
