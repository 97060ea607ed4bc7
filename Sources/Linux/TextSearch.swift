/// Searches a text for another, byte for byte.
///
/// The standard library's own `contains(_:)` and `split(separator:)` for texts would bring all of
/// regular expressions into the program: 2 MB that are corrected at each start.
extension String {
  /// The first range in which `part` stands; nil where it does not stand in the text.
  package func place(of part: String) -> Range<Index>? {
    var start = utf8.startIndex
    while true {
      let rest = utf8[start...]
      if rest.starts(with: part.utf8) {
        return start..<utf8.index(start, offsetBy: part.utf8.count)
      }
      guard start < utf8.endIndex else { return nil }
      start = utf8.index(after: start)
    }
  }

  /// True where `part` stands anywhere in the text.
  package func holds(_ part: String) -> Bool { place(of: part) != nil }
}

extension [UInt8] {
  /// Returns the first range in which these bytes stand; nil where they do not.
  package func place(of part: [UInt8]) -> Range<Int>? {
    indices.first { self[$0...].starts(with: part) }.map { $0..<$0 + part.count }
  }
}
