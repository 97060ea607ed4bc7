internal import Glibc

/// The measured times of one command, in milliseconds.
struct Times: CustomStringConvertible {
  private let sorted: [Double]

  init(_ milliseconds: [Double]) {
    sorted = milliseconds.sorted()
  }

  var median: Double { sorted[sorted.count / 2] }

  var description: String {
    "median \(decimal(median)) ms, \(decimal(sorted[0])) to \(decimal(sorted[sorted.count - 1])) ms"
  }
}

/// Returns the number with two decimals.
func decimal(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let fraction = hundredths % 100
  return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}
