import Testing

@testable import CommandLine

@Suite("Layout")
struct LayoutTests {
  @Test(
    "Lines break at spaces only",
    arguments: [
      ("one two three", 7, ["one two", "three"]), ("one", 2, ["one"]), ("", 10, []),
      ("a  b", 10, ["a b"]), ("ab cd", 5, ["ab cd"]), ("ab cd", 4, ["ab", "cd"]),
    ])
  func wrapping(text: String, width: Int, expected: [String]) {
    #expect(wrapped(text, width: width) == expected)
  }

  @Test("Meanings stand in one column, those of long terms below them")
  func columns() {
    let rows = [("-a", "first"), ("--a-term-that-is-far-too-long", "second"), ("--bc", "third")]
    let expected = """
        -a    first
        --a-term-that-is-far-too-long
              second
        --bc  third

      """
    #expect(definitions(rows.map { (term: $0.0, meaning: $0.1) }) == expected)
  }

  @Test("Colours appear only where they are wanted")
  func style() {
    #expect(Style.plain.heading("Usage") == "Usage")
    #expect(Style.colored.heading("Usage") == "\u{1B}[1mUsage\u{1B}[0m")
    #expect(Style.colored.good("") == "")
  }
}
