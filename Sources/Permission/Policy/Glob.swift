/// A pattern for names: `*` stands for any characters, `?` for one.
package struct Glob: Hashable, Sendable {
  /// As the policy has it.
  package let pattern: String

  /// A pattern; nil where it is empty or has `[`, `]` or `\`, which mean something elsewhere.
  package init?(_ pattern: String) {
    guard !pattern.isEmpty, !pattern.contains(where: { "[]\\".contains($0) }) else { return nil }
    self.pattern = pattern
  }

  /// Whether the whole of `name` fits.
  ///
  /// Only the last `*` is ever tried again, so hostile names cost no more than length × length.
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
