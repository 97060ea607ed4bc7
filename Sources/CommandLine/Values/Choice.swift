internal import Linux

/// A value that is one of a few words; an enumeration of strings is one by conforming.
package protocol Choice: ArgumentValue, CaseIterable, RawRepresentable<String> {}

extension Choice {
  package static var completion: Completion { .words(allCases.map(\.rawValue)) }

  /// `capture or playback`, `16, 24, 32 or float`.
  package static var expectation: String { alternatives(allCases.map(\.rawValue)) }

  package static func corrections(of text: String) -> [String] {
    let small = text.lowercased()
    // Of numbers none is near another.
    guard small.contains(where: \.isLetter) else { return [small] }
    return [small] + nearestNames(to: small, among: allCases.map(\.rawValue))
  }

  package init(argument: String) throws(ValueError) {
    guard let known = Self(rawValue: argument) else { throw .malformed }
    self = known
  }
}

/// Joins words as a sentence does: `a`, `a or b`, `a, b or c`.
package func alternatives(_ words: [String], _ conjunction: String = "or") -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}
