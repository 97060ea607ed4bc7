import Foundation

/// The strength of each frequency of a signal. The window hides nothing above −180 dB.
package struct Spectrum {
  /// Squared magnitudes of the bins from 0 to half the rate.
  package let power: [Double]
  /// The index of the strongest bin.
  package let peak: Int

  /// Computes the spectrum of the samples with a Kaiser window. Their number is a power of two.
  package init(_ samples: ArraySlice<Float>, beta: Double) {
    let count = samples.count
    precondition(count & (count - 1) == 0)
    let scale = bessel(beta)
    var real = samples.enumerated().map { index, sample in
      let position = 2 * Double(index) / Double(count - 1) - 1
      return Double(sample) * bessel(beta * (1 - position * position).squareRoot()) / scale
    }
    var imaginary = [Double](repeating: 0, count: count)
    transform(&real, &imaginary)
    let power = (0...(count / 2)).map { real[$0] * real[$0] + imaginary[$0] * imaginary[$0] }
    self.power = power
    peak = power.indices.max { power[$0] < power[$1] } ?? 0
  }

  /// Returns the power of all bins farther than `lobe` from the peak, relative to the nearer ones,
  /// in decibels.
  package func rest(outside lobe: Int) -> Double {
    let (near, far) = power.indices.reduce(into: (0.0, 0.0)) { sums, index in
      if abs(index - peak) <= lobe { sums.0 += power[index] } else { sums.1 += power[index] }
    }
    return 10 * log10(far / near)
  }
}

/// Returns the modified Bessel function of the first kind and order 0, from its series.
private func bessel(_ x: Double) -> Double {
  var (term, sum, index) = (1.0, 1.0, 1.0)
  while term > sum * 1e-18 {
    term *= (x / (2 * index)) * (x / (2 * index))
    sum += term
    index += 1
  }
  return sum
}

/// Computes a Fourier transform in place, by halving (Cooley and Tukey, 1965).
private func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
  let count = real.count
  var target = 0
  for index in 1..<count {
    var bit = count >> 1
    while target & bit != 0 {
      target ^= bit
      bit >>= 1
    }
    target |= bit
    if index < target {
      real.swapAt(index, target)
      imaginary.swapAt(index, target)
    }
  }
  var half = 1
  while half < count {
    for offset in 0..<half {
      let angle = -Double.pi * Double(offset) / Double(half)
      let (cosine, sine) = (cos(angle), sin(angle))
      for low in stride(from: offset, to: count, by: 2 * half) {
        let high = low + half
        let turnedReal = real[high] * cosine - imaginary[high] * sine
        let turnedImaginary = real[high] * sine + imaginary[high] * cosine
        real[high] = real[low] - turnedReal
        imaginary[high] = imaginary[low] - turnedImaginary
        real[low] += turnedReal
        imaginary[low] += turnedImaginary
      }
    }
    half *= 2
  }
}
