import Testing

@testable import Commands

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

  @Test("Meanings are in one column, and the meaning of a long term is on the next line")
  func terms() {
    let rows = [("-a", "first"), ("--a-term-that-is-far-too-long", "second"), ("--bc", "third")]
    let expected = """
        -a    first
        --a-term-that-is-far-too-long
              second
        --bc  third

      """
    #expect(definitions(rows.map { (term: $0.0, meaning: $0.1) }) == expected)
  }

  @Test("In a terminal, a path that does not fit next to its term is below it, in one form")
  func paths() {
    let path = "/home/kim/a/work/.arm2.wav.part"
    let rows: [Row] = [("File", path), ("Part", path + "-second (hidden)"), ("Repair", "now")]
    let below = """
        File
          \(path)
        Part
          \(path)-second
          (hidden)
        Repair  now

      """
    #expect(definitions(rows, terminal: 40) == below)
    let adjacent = "  File    \(path)\n  Part    \(path)-second (hidden)\n  Repair  now\n"
    for terminal in [80, 200, nil] { #expect(definitions(rows, terminal: terminal) == adjacent) }
    let long = String(repeating: "x", count: 100)
    #expect(definitions([("File", long)], terminal: nil) == "  File  \(long)\n")
    #expect(definitions([("File", long)], terminal: 120) == "  File  \(long)\n")
  }

  @Test(
    "A state that does not fit after a name is on its own line, without a colon before it",
    arguments: [
      (40, 10, ": recording"), (40, 29, ": recording"), (40, 30, "\n  recording"),
      (40, 40, "\n  recording"), (nil, 64, ": recording"),
    ] as [(Int?, Int, String)])
  func states(terminal: Int?, length: Int, end: String) {
    let name = String(repeating: "n", count: length)
    #expect(stateHeading(name, "recording", terminal: terminal) == name + end)
  }

  @Test(
    "Characters that are two columns wide count as two",
    arguments: [
      ("bark", 4), ("été", 3), ("e\u{301}te\u{301}", 3), ("東京", 4), ("ｶﾅ", 2), ("한글", 4),
      ("Ａ", 2), ("🔔!", 3), ("…", 1), ("", 0),
    ])
  func widths(text: String, width: Int) {
    #expect(columns(of: text) == width)
    #expect(columns(of: padded(text, to: 8)) == 8)
  }

  @Test(
    "A cell ends with at least two spaces, even if its text is too wide",
    arguments: [("a", "a   "), ("ab", "ab  "), ("abc", "abc  "), ("東京", "東京  ")])
  func cells(text: String, expected: String) {
    #expect(cell(text, width: 4) == expected)
  }

  @Test(
    "A text that is too wide ends with an ellipsis",
    arguments: [("bark", 4, "bark"), ("barks", 4, "bar…"), ("東京都", 4, "東…"), ("東京", 4, "東京")])
  func shortening(text: String, width: Int, expected: String) {
    #expect(shortened(text, to: width) == expected)
  }

  @Test(
    "A name keeps its end, where takes differ",
    arguments: [
      ("interview-002.wav", 17, "interview-002.wav", "interview-002.wav"),
      ("interview-002.wav", 12, "int…-002.wav", "…iew-002.wav"), ("東京都", 4, "…都", "…都"),
    ])
  func ends(text: String, width: Int, middle: String, front: String) {
    #expect(shortened(text, to: width, cutting: .middle) == middle)
    #expect(shortened(text, to: width, cutting: .front) == front)
  }

  @Test("Long lines of a page break at spaces and keep their indentation; others are unchanged")
  func fitting() {
    let page = "a  b\n  one two three\n\none two three\n"
    #expect(fitted(page, width: 13) == "a  b\n  one two\n  three\n\none two three\n")
    #expect(fitted(page, width: 80) == page)
    let colored = Style.colored.warning("one two") + " three"
    #expect(fitted(colored, width: 13) == colored)
  }

  @Test(
    "No line ends within a path, nor within a quoted text that fits into a line",
    arguments: [
      ("/tmp/ab/cd.wav, ef", ["/tmp/ab/cd.wav,", "ef"]),
      ("to \"/tmp/a b/c  d e.wav\": ef", ["to", "\"/tmp/a b/c  d e.wav\":", "ef"]),
      ("a name: \"my bar\", x", ["a name:", "\"my bar\", x"]),
      ("so (\"b c\") or \"d", ["so (\"b c\") or", "\"d"]),
      ("\"a long text of words\"", ["\"a long text", "of words\""]),
    ])
  func path(text: String, lines: [String]) {
    #expect(wrapped(text, width: 14) == lines)
    #expect(fitted("  " + text, width: 16) == lines.map { "  " + $0 }.joined(separator: "\n"))
  }

  @Test("Colors appear only in the colored style")
  func style() {
    #expect(Style.plain.heading("Usage") == "Usage")
    #expect(Style.colored.heading("Usage") == "\u{1B}[1mUsage\u{1B}[0m")
    #expect(Style.colored.good("") == "")
  }
}
