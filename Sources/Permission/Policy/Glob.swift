/// A pattern for names: `*` stands for any characters, `?` for one.
package struct Glob: Hashable, Sendable {
  /// The pattern as the policy has it.
  package let pattern: String

  /// Makes a pattern; nil if it is empty or has `[`, `]` or `\`, which other programs give a
  /// meaning.
  package init?(_ pattern: String) {
    guard !pattern.isEmpty, !pattern.contains(where: { "[]\\".contains($0) }) else { return nil }
    self.pattern = pattern
  }

  /// True if the pattern matches the whole of `name`.
  ///
  /// Only the last `*` is ever retried, so a hostile name costs at most length × length.
  package func matches(_ name: String) -> Bool {
    let (pattern, name) = (Array(pattern.unicodeScalars), Array(name.unicodeScalars))
    var (next, position) = (0, 0)
    var retry: (next: Int, position: Int)?
    while position < name.count {
      if next < pattern.count, pattern[next] == "*" {
        next += 1
        retry = (next, position)
      } else if next < pattern.count, pattern[next] == "?" || pattern[next] == name[position] {
        next += 1
        position += 1
      } else if let (start, from) = retry {
        (next, position) = (start, from + 1)
        retry = (start, from + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == "*" }
  }
}
