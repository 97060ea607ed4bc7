internal import Permission

/// The duration of a limited grant, 10 seconds to 30 days.
package struct GrantLength: ArgumentValue, Hashable {
  /// The duration, within `GrantTerm.range`.
  package let duration: Duration

  /// The name of a duration in the help.
  package static let placeholder = Duration.placeholder
  /// Shown in the help and for an invalid duration.
  package static let expectation = Duration.expectation
  static let limits = "a grant lasts from 10s to 30d"

  /// True: `1 h` as two words is one duration with its unit.
  package static var hasUnit: Bool { true }

  /// Tries the corrections of a duration.
  package static func corrections(of text: String) -> [String] {
    Misspelling.durations(text)
  }

  /// Reads a duration; throws `outOfRange` for one that no grant can have.
  package init(argument: String) throws(ValueError) {
    duration = try Duration(argument: argument)
    guard GrantTerm.range.contains(duration) else { throw .outOfRange(Self.limits) }
  }
}
