internal import Control

/// The files of a series to keep, by number or by age.
struct Retention: ArgumentValue, Hashable {
  let plan: KeepPlan

  static let placeholder = "N|AGE"
  static let expectation = "a number of files such as 24, or an age with its unit such as 7d"

  static var hasUnit: Bool { true }

  static func corrections(of text: String) -> [String] { Misspelling.durations(text) }

  init(argument: String) throws(ValueError) {
    if argument.allSatisfy(\.isNumber) {
      guard let count = Int(argument) else { throw .malformed }
      guard count > 0 else { throw .outOfRange("at least 1 file stays") }
      plan = .count(count)
    } else {
      let age = try Duration(argument: argument)
      guard age > .zero else { throw .outOfRange("an age is more than 0") }
      plan = .age(age)
    }
  }
}
