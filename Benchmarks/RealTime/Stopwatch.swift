/// Times repeated work and prints the cost of one sample.
enum Stopwatch {
  /// Reports the best of several rounds, because other load on the machine only makes a round
  /// slower.
  static func report(_ name: String, samples: Int, rounds: Int = 7, _ work: () -> Void) {
    let clock = ContinuousClock()
    let best = (0..<rounds).map { _ in clock.measure { for _ in 0..<200 { work() } } }.min()
    guard let best else { return }
    let nanoseconds = Double(best.attoseconds) / 1e9 / Double(200 * samples)
    let hundredths = Int(nanoseconds * 100 + 0.5)
    let fraction = hundredths % 100
    print("\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ns/sample  \(name)")
  }
}
