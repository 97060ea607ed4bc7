internal import Permission

/// How long a limited grant lasts.
package struct GrantLength: ArgumentValue, Hashable {
  package let duration: Duration

  package static let placeholder = Duration.placeholder
  package static let expectation = Duration.expectation
  static let limits = "a grant lasts from 10s to 30d"

  package static var hasUnit: Bool { true }

  package static func corrections(of text: String) -> [String] {
    Misspelling.durations(text)
  }

  package init(argument: String) throws(ValueError) {
    duration = try Duration(argument: argument)
    guard Term.range.contains(duration) else { throw .outOfRange(Self.limits) }
  }
}
