import Audio
import RealTime
import Testing

@Suite("The balance between left and right")
struct BalanceTests {
  private func heard(
    _ place: Float, within frames: Int = 0, channels: Int = 2, of samples: [Float]
  ) throws -> [Float] {
    var balance = Balance(channels: try #require(ChannelCount(channels)))
    balance.move(to: place, within: frames)
    var samples = samples
    var span = samples.mutableSpan
    balance.apply(to: &span)
    return samples
  }

  @Test(
    "Stereo: at −1 the right is silent, at 1 the left, in the middle every bit stays",
    arguments: [
      (Float(-1), [Float(0.5), 0, -0.25, 0]), (1, [0, -0.75, 0, 1]),
      (0, [0.5, -0.75, -0.25, 1]), (-0.5, [0.5, -0.375, -0.25, 0.5]),
      (0.25, [0.375, -0.75, -0.1875, 1]),
    ] as [(Float, [Float])])
  func stereo(place: Float, expected: [Float]) throws {
    #expect(try heard(place, of: [0.5, -0.75, -0.25, 1]) == expected)
  }

  @Test("A muted side is silent even if its samples are not numbers")
  func noNumber() throws {
    let heard = try heard(1, of: [.nan, 0.5, .infinity, 0.25])
    #expect(heard == [0, 0.5, 0, 0.25])
  }

  @Test("Mono has no sides, and 5.1 has several channels on each side")
  func otherChannels() throws {
    #expect(try heard(-1, channels: 1, of: [0.5, 0.25]) == [0.5, 0.25])
    let ones = [Float](repeating: 1, count: 6)
    #expect(try heard(-1, channels: 6, of: ones) == [1, 0, 1, 1, 1, 0])
    #expect(try heard(1, channels: 6, of: ones) == [0, 1, 1, 1, 0, 1])
  }

  @Test("A move takes the given frames in equal steps, and is exact at its end")
  func move() throws {
    let heard = try heard(-1, within: 10, of: [Float](repeating: 1, count: 40))
    let left = stride(from: 0, to: 40, by: 2).map { heard[$0] }
    let right = stride(from: 1, to: 40, by: 2).map { heard[$0] }
    #expect(left.allSatisfy { $0 == 1 })
    for (frame, sample) in right.enumerated() {
      #expect(abs(sample - max(0, 1 - Float(frame + 1) / 10)) < 1e-6)
    }
    #expect(right.dropFirst(10).allSatisfy { $0 == 0 })
  }
}
