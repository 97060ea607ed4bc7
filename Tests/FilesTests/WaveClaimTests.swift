import Audio
import Testing

@testable import Files

@Suite("The claims of a WAV header")
struct WaveClaimTests {
  private static let claims: [Int64] = [.min, -9, -8, -1, 0, 1, 1 << 32, 1 << 62, .max - 1, .max]

  @Test(
    "Any numbers are taken for a claim, and no more samples than the file has", arguments: claims)
  func anyNumbers(audio: Int64) {
    let header = WaveHeader(StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16))
    for end in Self.claims {
      var head = header.bytes(audio: 1 << 33, end: 1 << 34)
      for (place, value) in [(20, end), (28, audio)] {
        var bytes: [UInt8] = []
        bytes.append(little: value)
        head.replaceSubrange(place..<(place + 8), with: bytes)
      }
      #expect(WaveHeader(parsing: head) == header)
      #expect(WaveExtent.statedTail(header, head: head) >= Int64(header.count))
      let extent = WaveExtent(header, head: head, size: 4_080, following: [])
      #expect((0...4_000).contains(extent.audio) && !extent.isIntact)
    }
  }
}
