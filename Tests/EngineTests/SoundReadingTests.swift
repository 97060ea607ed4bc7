import JSON
import Linux
import Support
import Testing

@testable import Engine

@Suite("What a child says of a sound file")
struct SoundReadingTests {
  @Test("What it says is printable, and less than it should be is nothing")
  func foreign() throws {
    let row = try #require(
      SoundDescription([
        "members": .object(["duration": 1.5]), "ending": "wav",
        "rows": [["Title", "a\u{1B}]0;b\u{7}"], ["short"], [1, 2]],
      ]))
    #expect(row.duration == .seconds(1.5))
    #expect(row.rows.count == 1 && row.rows[0].meaning == "a\\x1B]0;b\\x07")
    #expect(SoundDescription(["members": .object([:]), "rows": []]) == nil)
    #expect(SoundDescription([:]) == nil)
  }
}
