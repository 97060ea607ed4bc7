import Audio
import JSON
import Linux
import Support
import Takes
import Testing

@testable import Commands

@Suite("The answer of a child about a sound file")
struct SoundReadingTests {
  @Test("The answer is printable, and an incomplete one is ignored")
  func foreign() throws {
    let row = try #require(
      SoundDescription([
        "members": .object(["duration": 1.5]), "ending": "wav",
        "facts": [["Marker", "a\u{1B}]0;b\u{7}"], ["short"], [1, 2]],
      ]))
    #expect(row.duration == .seconds(1.5))
    #expect(row.rows.count == 1 && row.rows[0].meaning == "a\\x1B]0;b\\x07")
    let tags: JSONValue = ["title": "a\u{1B}]0;b\u{7}", "artist": 7]
    let tagged = SoundDescription([
      "members": ["tags": tags], "ending": "wav", "facts": [],
    ])
    #expect(tagged?.rows.map(\.meaning) == ["a\\x1B]0;b\\x07"])
    #expect(SoundDescription(["members": .object([:]), "rows": []]) == nil)
    #expect(SoundDescription([:]) == nil)
  }

  @Test("A request to read parts is unchanged after JSON, with its facts and time limit")
  func order() {
    var limited = PartClue(format: .flac)
    limited.most = 4_096
    let clues = [
      PartClue(), limited,
      PartClue(
        format: .raw, stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16),
        named: .wav),
    ]
    let order = DescribeOrder(files: 3, seconds: 4_000, parts: clues)
    #expect(DescribeOrder(json: order.json) == order)
    #expect(DescribeOrder(json: ["files": 4, "tried": false, "levels": false, "parts": []]) == nil)
  }
}
