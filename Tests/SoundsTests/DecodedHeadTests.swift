import Audio
import Decoding
import Sounds
import Support
import Testing

@Suite("The head of a decoded sound")
struct DecodedHeadTests {
  private static let lengths: [FrameCount?] = [nil, 0, 1, 2, 48_000, FrameCount(.max - 3)]

  @Test("is read as it was written, for any requested samples", arguments: lengths)
  func again(length: FrameCount?) {
    for (sample, asked) in [
      (SampleFormat.float32, DecodedSamples.floats), (.int32, .integers), (.float32, .smallest),
      (.int16, .smallest),
    ] {
      let head = DecodedHead(sample, length: length)
      #expect(head.bytes.count == DecodedHead.size)
      #expect(DecodedHead(head.bytes.span.bytes, asked) == head)
    }
  }

  @Test("that is only a length stands for 32-bit floats", arguments: lengths)
  func former(length: FrameCount?) {
    let bytes = withUnsafeBytes(of: length?.value ?? -1) { Array($0) }
    for asked in [DecodedSamples.floats, .smallest] {
      #expect(DecodedHead(bytes.span.bytes, asked) == DecodedHead(.float32, length: length))
    }
    #expect(DecodedHead(.float32, length: length).bytes == bytes)
  }
}
