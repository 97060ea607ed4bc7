import Audio
import Decoding
import Linux
import Playback
import Sounds
import Support
import Testing

@Suite("The cache of decoded sounds")
struct CacheTests {
  private struct Undecodable: Error, Equatable {}

  private static let mono = StreamFormat(rate: .hz48000, channels: .mono, sample: .float32)

  private func silence(_ frames: Int) -> Sound {
    var memory = SoundMemory(Self.mono, room: FrameCount(frames))
    memory.append([Float](repeating: 0, count: frames).span)
    return Sound(memory)
  }

  private func key(
    _ path: String, _ format: StreamFormat = Self.mono, mixing mix: [ChannelCount] = [],
    as raw: StreamFormat? = nil
  ) throws -> DecodeCache.Key {
    var order = DecodeOrder(name: path, raw: raw, format: format)
    order.mix = mix
    return DecodeCache.Key(path, try FileStatus(of: path), order)
  }

  @Test("A sound is decoded once, and again if its file, its format, its mix or the output differs")
  func keys() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("a", to: "a")
    let cache = DecodeCache(limit: 1_000_000)
    var decoded = 0
    func play(
      _ format: StreamFormat = Self.mono, mixing mix: [ChannelCount] = [],
      as raw: StreamFormat? = nil
    ) throws {
      _ = try cache.sound(for: key(path, format, mixing: mix, as: raw)) {
        decoded += 1
        return silence(10)
      }
    }
    try play()
    try play()
    #expect(decoded == 1)
    try scratch.write("ab", to: "a")
    try play()
    #expect(decoded == 2)
    try play(StreamFormat(rate: .hz44100, channels: .mono, sample: .int16))
    try play(StreamFormat(rate: .hz44100, channels: .stereo, sample: .int16))
    #expect(decoded == 4)
    try play(mixing: [.mono, .mono])
    try play(mixing: [.mono, .mono])
    #expect(decoded == 5)
    for rate in [.hz44100, .hz48000, .hz48000] as [SampleRate] {
      try play(as: StreamFormat(rate: rate, channels: .mono, sample: .int16))
    }
    #expect(decoded == 7)
  }

  @Test("Above the limit the least recently used sound is removed first, but none that plays")
  func eviction() throws {
    let scratch = try ScratchDirectory()
    let cache = DecodeCache(limit: 3 * 400)
    var decoded: [String] = []
    func sound(_ name: String) throws -> Sound {
      let path =
        try scratch.names().contains(name) ? scratch.path(name) : scratch.write("", to: name)
      return try cache.sound(for: key(path)) {
        decoded.append(name)
        return silence(100)
      }
    }
    let playing = try sound("a")
    for name in ["b", "c", "b", "d"] { _ = try sound(name) }
    // `a` is the oldest but plays, so `c` was removed.
    for name in ["a", "b", "d"] { _ = try sound(name) }
    #expect(decoded == ["a", "b", "c", "d"])
    _ = try sound("c")
    #expect(decoded == ["a", "b", "c", "d", "c"])
    #expect(playing.length == 100)
  }

  @Test("A sound that cannot be decoded is not kept")
  func failure() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("", to: "a")
    let cache = DecodeCache(limit: 1_000)
    #expect(throws: Undecodable()) {
      _ = try cache.sound(for: key(path)) { () throws(Undecodable) in throw Undecodable() }
    }
    #expect(try cache.sound(for: key(path)) { silence(3) }.length == 3)
  }
}
