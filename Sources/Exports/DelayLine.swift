/// A delay by a fixed number of samples.
struct DelayLine {
  private var samples: [Float]
  private var next = 0

  init(_ count: Int) { samples = Array(repeating: 0, count: count) }

  mutating func process(_ block: inout [Float]) {
    guard !samples.isEmpty else { return }
    for index in block.indices {
      swap(&block[index], &samples[next])
      next = (next + 1) % samples.count
    }
  }
}
