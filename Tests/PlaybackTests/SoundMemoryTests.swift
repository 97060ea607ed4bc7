import Audio
import Playback
import Support
import Testing

@Suite("The memory of a sound that arrives in pieces")
struct SoundMemoryTests {
  private static let format = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)

  @Test(
    "It grows beyond its room, and leaves out an incomplete last frame", arguments: [0, 7, 900])
  func grows(room: Int) throws {
    let codes = (0..<2_001).map { Int16($0) }
    var memory = SoundMemory(Self.format, room: FrameCount(room))
    let bytes = codes.span.bytes
    var first = 0
    while first < bytes.byteCount {
      let end = min(first + 13, bytes.byteCount)
      memory.append(bytes.extracting(first..<end))
      first = end
    }
    let count = memory.count
    let length = memory.length
    #expect(count == 4_002)
    #expect(length == 1_000)
    let sound = Sound(memory)
    #expect(sound.length == 1_000)
    #expect(sound.bytes == 4_000)
    #expect(try heard(sound) == codes.prefix(2_000).map { Float($0) / 32_768 })
  }

  @Test("Floats that 16 bits hold exactly take half the bytes")
  func exact() throws {
    let codes: [Int16] = [.min, -1, 0, 1, .max, 12_345]
    var memory = SoundMemory(Self.format, room: 3)
    let floats = codes.map { Float($0) / 32_768 }
    memory.append(floats.span)
    let count = memory.count
    #expect(count == 12)
    #expect(try heard(Sound(memory)) == floats)
  }

  private func heard(_ sound: Sound) throws -> [Float] {
    var stage = try Stage(
      StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32))
    _ = try stage.table.play(sound)
    return Array(stage.play(10).prefix(2 * Int(sound.length.value)))
  }
}
