import Audio
import RealTime
import Testing

@Suite("Channel maps")
struct ChannelMapTests {
  func applied(_ map: ChannelMap, to frames: [Float]) -> [Float] {
    let count = frames.count / map.sources.value * map.targets.value
    var mapped = [Float](repeating: 9, count: count)
    var span = mapped.mutableSpan
    map.apply(to: frames.span, into: &span)
    return mapped
  }

  @Test("Selected channels keep every bit, in every format", arguments: SampleFormat.allCases)
  func select(format: SampleFormat) throws {
    let sources = try #require(ChannelCount(4))
    let map = try #require(ChannelMap(selecting: [2, 3, 2], of: sources))
    let size = format.bytesPerSample
    let frames = (0..<5 * 4 * size).map { UInt8($0) }
    var selected = [UInt8](repeating: 0, count: 5 * 3 * size)
    var span = selected.mutableSpan
    var room = span.mutableBytes
    map.select(from: frames.span.bytes, bytesPerSample: size, into: &room)
    var expected: [UInt8] = []
    for frame in 0..<5 {
      for channel in [2, 3, 2] {
        let first = (frame * 4 + channel) * size
        expected += frames[first..<first + size]
      }
    }
    #expect(selected == expected)
  }

  @Test("A channel that does not exist cannot be selected", arguments: [[2], [-1], [0, 2], []])
  func missing(channels: [Int]) {
    #expect(ChannelMap(selecting: channels, of: .stereo) == nil)
  }

  @Test("The mean of stereo is half of the sum, and cannot clip")
  func mean() {
    #expect(
      applied(ChannelMap(from: .stereo, to: .mono), to: [1, 0, -1, -1, 0.5, 0.25]) == [
        0.5, -1, 0.375,
      ])
  }

  @Test("A mix is the mean of the groups, with one channel on both sides")
  func mix() throws {
    let three = try #require(ChannelCount(3))
    let map = ChannelMap(mixing: [0..<1, 1..<3], of: three, to: .stereo)
    #expect(applied(map, to: [0.5, 1, -1]) == [0.75, -0.25])
    #expect(applied(map, to: [1, 1, 1]) == [1, 1])
    let mono = ChannelMap(mixing: [0..<1, 1..<3], of: three, to: .mono)
    #expect(applied(mono, to: [0.5, 1, -1]) == [0.25])
  }

  @Test("A single group is selected, not mixed")
  func group() throws {
    let three = try #require(ChannelCount(3))
    let map = ChannelMap(mixing: [1..<3], of: three, to: .stereo)
    #expect(map.isSelection && applied(map, to: [0.5, 1, -1]) == [1, -1])
  }

  @Test("One channel is copied to all others unchanged")
  func spread() throws {
    let three = try #require(ChannelCount(3))
    let map = ChannelMap(from: .mono, to: three)
    #expect(applied(map, to: [0.5, -1]) == [0.5, 0.5, 0.5, -1, -1, -1])
  }

  @Test("5.1 is mixed to stereo with the coefficients of the ITU")
  func surround() throws {
    let six = try #require(ChannelCount(6))
    let map = ChannelMap(from: six, to: .stereo)
    let half = Float(0.5).squareRoot()
    let expected: [[Float]] = [[1, 0], [0, 1], [half, half], [0, 0], [half, 0], [0, half]]
    for (channel, pair) in expected.enumerated() {
      var frame = [Float](repeating: 0, count: 6)
      frame[channel] = 1
      #expect(applied(map, to: frame) == pair)
    }
  }

  @Test(
    "The usual map depends on both numbers of channels",
    arguments: [
      (1, 2, [1], [1, 1]), (2, 1, [1, 0], [0.5]), (2, 2, [1, 2], [1, 2]),
      (2, 3, [1, 2], [1, 2, 0]), (4, 2, [1, 2, 3, 4], [1, 2]), (1, 1, [7], [7]),
      (6, 2, [1, 2, 0, 9, 0, 0], [1, 2]),
    ] as [(Int, Int, [Float], [Float])])
  func usual(sources: Int, targets: Int, frame: [Float], expected: [Float]) throws {
    let map = ChannelMap(
      from: try #require(ChannelCount(sources)), to: try #require(ChannelCount(targets)))
    #expect(applied(map, to: frame) == expected)
  }

  @Test("Only a map without sums can select bytes")
  func misuse() async {
    #expect(!ChannelMap(from: .stereo, to: .mono).isSelection)
    #expect(ChannelMap(from: .mono, to: .stereo).isSelection)
    await #expect(processExitsWith: .failure) {
      var room: [UInt8] = [0, 0]
      var span = room.mutableSpan
      var target = span.mutableBytes
      ChannelMap(from: .stereo, to: .mono)
        .select(from: [1, 2, 3, 4].span.bytes, bytesPerSample: 2, into: &target)
    }
  }

  /// Returns the two outputs of a stereo mix, for a file with sound in one channel.
  private func mixed(_ speakers: [Speaker], _ channel: Int) throws -> [Float] {
    let sources = try #require(ChannelCount(speakers.count))
    var frame = [Float](repeating: 0, count: speakers.count)
    frame[channel] = 1
    return applied(ChannelMap(from: sources, at: speakers, to: .stereo), to: frame)
  }

  @Test("Every layout up to 7.1 is mixed by the positions of its channels", arguments: 3...8)
  func layouts(channels: Int) throws {
    let count = try #require(ChannelCount(channels))
    let half = Float(0.5).squareRoot()
    for order in [[Speaker].usual(count), .vorbis(count)] {
      let speakers = try #require(order)
      for (channel, speaker) in speakers.enumerated() {
        let expected: [Float] =
          switch speaker {
          case .frontLeft: [1, 0]
          case .frontRight: [0, 1]
          case .frontCenter: [half, half]
          case .lowFrequency: [0, 0]
          case .backLeft, .sideLeft: [half, 0]
          case .backRight, .sideRight: [0, half]
          default: [0.5, 0.5]
          }
        #expect(try mixed(speakers, channel) == expected, "\(speaker)")
      }
    }
  }

  @Test("An output with the same number of channels gets each one, in the order of WAV files")
  func reordered() throws {
    let six = try #require(ChannelCount(6))
    let map = ChannelMap(from: six, at: .vorbis(six), to: six)
    #expect(applied(map, to: [1, 2, 3, 4, 5, 6]) == [1, 3, 2, 6, 4, 5])
    #expect(map.isSelection && !map.isIdentity)
    #expect(ChannelMap(from: six, at: .usual(six), to: six).isIdentity)
  }

  @Test("Surround becomes mono as the mean of its stereo mix")
  func mono() throws {
    let three = try #require(ChannelCount(3))
    let map = ChannelMap(from: three, at: .usual(three), to: .mono)
    #expect(applied(map, to: [1, 0, 0, 0, 0, 1]) == [0.5, Float(0.5).squareRoot()])
  }
}
