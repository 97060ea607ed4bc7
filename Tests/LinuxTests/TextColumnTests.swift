import Testing

@testable import Linux

@Suite("Texts that are searched together")
struct TextColumnTests {
  @Test(
    "Found are those that hold all words, in any case",
    arguments: [
      ([], [0, 1, 2, 3]), (["ab"], [0, 1]), (["AB", "c"], [1]), (["ä"], [3]), (["Ä"], [3]),
      (["x"], []), (["b", "a"], [0, 1]), ([""], [0, 1, 2, 3]), (["ab c"], [1]), (["\0"], []),
    ] as [([String], [Int])])
  func places(words: [String], found: [Int]) {
    var column = TextColumn()
    for text in ["aab", "AB c", "", "bÄ"] { column.append(text) }
    #expect(column.indices(containingAll: words) == found)
  }

  @Test("A joint search has the same results as a search of each text")
  func model() {
    var random = SystemRandomNumberGenerator()
    func text(_ most: Int) -> String {
      String(
        (0..<Int.random(in: 0...most, using: &random)).map { _ in
          "abc".randomElement(using: &random) ?? "a"
        })
    }
    for _ in 0..<300 {
      let texts = (0..<8).map { _ in text(10) }
      var column = TextColumn()
      for text in texts { column.append(text) }
      let words = [text(3), text(2)]
      let expected = texts.indices.filter { place in words.allSatisfy(texts[place].holds) }
      #expect(column.indices(containingAll: words) == expected, "\(texts) \(words)")
    }
  }
}

@Suite("Bytes that are searched")
struct ByteSearchTests {
  @Test(
    "The first occurrence within a range is found",
    arguments: [
      ("ab", 0..<6, 1), ("ab", 2..<6, 4), ("ab", 1..<2, nil), ("ab", 3..<3, nil), ("x", 0..<6, nil),
      ("b", 5..<6, 5),
    ])
  func first(part: String, range: Range<Int>, found: Int?) {
    #expect(Array("aabcab".utf8).firstIndex(of: Array(part.utf8), in: range) == found)
  }
}
