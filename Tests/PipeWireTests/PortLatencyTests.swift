import Testing

@testable import PipeWire

@Suite("The latency of a port")
struct PortLatencyTests {
  /// A latency as PipeWire encodes it: the size and the type of the object, its kind and the
  /// parameter, and then the members. Each has a key, flags, a size, a type and a padded value.
  private static let words: [UInt32] = [
    176, 15, 0x4000b, 15,
    1, 0, 4, 3, 1, 0,
    2, 0, 4, 6, Float(1).bitPattern, 0,
    3, 0, 4, 6, Float(2).bitPattern, 0,
    4, 0, 4, 4, 256, 0,
    5, 0, 4, 4, 256, 0,
    6, 0, 8, 5, 1_000_000, 0,
    7, 0, 8, 5, 3_000_000, 0,
  ]

  private func latency(
    _ words: [UInt32], isOutput: Bool = true, dropping: Int = 0
  ) -> PortLatency? {
    let bytes = words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
    return Array(bytes.dropLast(dropping)).withUnsafeBytes {
      PortLatency($0.bytes, isOutput: isOutput)
    }
  }

  private func changed(_ index: Int, to word: UInt32) -> [UInt32] {
    var words = Self.words
    words[index] = word
    return words
  }

  @Test("is the mean of its least and its greatest value")
  func valid() {
    let found = latency(Self.words)
    #expect(found == PortLatency(cycles: 1.5, frames: 256, nanoseconds: 2_000_000))
    // 1.5 cycles of 960 frames are 30 ms, and 256 frames are 5.333 ms.
    #expect(found?.duration(cycle: 960, rate: 48_000) == .microseconds(37_333))
  }

  @Test("may be negative, and has other parts of 0 if they are missing")
  func partial() {
    var words = Array(Self.words[..<10] + Self.words[22..<34])
    words[0] = UInt32(words.count * 4 - 8)
    #expect(latency(words) == PortLatency(cycles: 0, frames: 256, nanoseconds: 0))
    words[14] = UInt32(bitPattern: -256)
    words[20] = UInt32(bitPattern: -128)
    #expect(latency(words) == PortLatency(cycles: 0, frames: -192, nanoseconds: 0))
  }

  @Test("may have other members of any size, which are ignored")
  func others() {
    var words = Self.words + [99, 0, 9, 9, 1, 2, 3, 0]
    words[0] += 32
    #expect(latency(words) == latency(Self.words))
  }

  @Test("is not that of the other direction")
  func direction() {
    #expect(latency(Self.words, isOutput: false) == nil)
    #expect(latency(changed(8, to: 0), isOutput: false) != nil)
  }

  @Test("is unknown if a size, a type or a value does not fit")
  func invalid() {
    let changes: [(Int, UInt32)] = [
      (0, 175), (0, 184), (0, .max), (1, 14), (2, 0x4000c), (3, 14), (6, 9), (6, .max), (7, 4),
      (12, 12), (13, 4), (14, Float.nan.bitPattern), (14, Float.infinity.bitPattern),
      (14, Float(-2_000).bitPattern), (25, 5), (26, UInt32(Int32.max)), (36, 4), (39, 1 << 30),
      (42, 9), (42, .max),
    ]
    for (index, word) in changes {
      #expect(latency(changed(index, to: word)) == nil, "word \(index): \(word)")
    }
    for count in 1...Self.words.count * 4 {
      #expect(latency(Self.words, dropping: count) == nil, "\(count) bytes less")
    }
  }
}
