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

  @Test("Bytes are found from both ends of a range, and compared at an index")
  func bytes() {
    let bytes = Array("a\nbc\nd".utf8)
    let lineEnd = UInt8(ascii: "\n")
    #expect(
      bytes.lastIndex(of: lineEnd, in: 0..<6) == 4 && bytes.lastIndex(of: lineEnd, in: 0..<4) == 1)
    #expect(
      bytes.lastIndex(of: lineEnd, in: 2..<4) == nil
        && bytes.lastIndex(of: lineEnd, in: 1..<1) == nil)
    #expect(
      bytes.span.firstIndex(of: lineEnd) == 1 && bytes.span.firstIndex(of: lineEnd, from: 2) == 4)
    #expect(bytes.span.firstIndex(of: lineEnd, from: 6) == nil)
    #expect(bytes.holds(Array("bc".utf8), at: 2) && bytes.holds([], at: 6))
    #expect(!bytes.holds(Array("bc".utf8), at: 1) && !bytes.holds(Array("de".utf8), at: 5))
  }
}
