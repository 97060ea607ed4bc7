internal import Linux

/// A value that is one of a few words; an enumeration of strings conforms without further code.
package protocol Choice: ArgumentValue, CaseIterable, RawRepresentable<String> {}

extension Choice {
  /// All words of the enumeration.
  package static var completion: Completion { .words(allCases.map(\.rawValue)) }

  /// The words as a sentence lists them: `capture or playback`, `16, 24, 32 or float`.
  package static var expectation: String { alternatives(allCases.map(\.rawValue)) }

  /// Tries the text in lower case and, unless it is a number, the nearest words.
  package static func corrections(of text: String) -> [String] {
    let small = text.lowercased()
    // A number has no nearest number that could be meant.
    guard small.contains(where: \.isLetter) else { return [small] }
    return [small] + nearestNames(to: small, among: allCases.map(\.rawValue))
  }

  /// Reads exactly one of the words; throws for any other text.
  package init(argument: String) throws(ValueError) {
    guard let known = Self(rawValue: argument) else { throw .malformed }
    self = known
  }
}

/// Joins words as in a sentence: `a`, `a or b`, `a, b or c`.
package func alternatives(_ words: [String], _ conjunction: String = "or") -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}
