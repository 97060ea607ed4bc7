import Linux
import Testing

@Suite("Text search")
struct TextSearchTests {
  @Test(
    "A text is found where it stands first",
    arguments: [
      ("a - b - c", " - ", "a"), ("--", "-", ""), ("ab", "b", "a"), ("aab", "ab", "a"),
      ("größer", "ß", "grö"), ("x", "", ""), ("", "", ""),
    ])
  func place(text: String, part: String, before: String) throws {
    let range = try #require(text.range(of: part))
    #expect(text[..<range.lowerBound] == before)
    #expect(text[range] == part)
  }

  @Test(
    "What does not stand in a text is not found",
    arguments: [("", "a"), ("ab", "ba"), ("ab", "abc"), ("a.", "..")])
  func absence(text: String, part: String) { #expect(!text.holds(part)) }
}
