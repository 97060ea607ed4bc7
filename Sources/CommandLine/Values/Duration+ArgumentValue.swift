extension Duration: ArgumentValue {
  /// The name of a duration in the help.
  package static var placeholder: String { "DURATION" }
  /// Shown in the help and for an invalid duration.
  package static var expectation: String { "a duration such as 90, 1m30s, 2h or 1:30" }

  private static var units: [(name: String, nanoseconds: Int64)] {
    [
      ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("ms", 1_000_000),
      ("m", 60_000_000_000), ("s", 1_000_000_000),
    ]
  }

  /// True: `1 h` as two words is one duration with its unit.
  package static var hasUnit: Bool { true }

  /// Tries the text without spaces, also with the units of other programs.
  package static func corrections(of text: String) -> [String] {
    Misspelling.durations(text)
  }

  /// Reads `90`, `1.5s`, `250ms` or `1h30m`, the larger unit first and each at most once; or
  /// `1:30`.
  package init(argument: String) throws(ValueError) {
    let parts = argument.split(separator: Character(":"), omittingEmptySubsequences: false)
    self = try parts.count == 1 ? Self(units: argument) : Self(clock: parts)
  }

  /// Reads hours, minutes and seconds in the form of `clock`: `1:30`, `0:00.5`, `1:01:40`.
  private init(clock parts: [Substring]) throws(ValueError) {
    guard parts.count <= 3 else { throw .malformed }
    var total = Int64(0)
    for (index, part) in parts.enumerated() {
      let (isFirst, isLast) = (index == 0, index == parts.count - 1)
      var rest = part
      guard let number = DecimalText(takingFrom: &rest), rest.isEmpty, number.isWhole || isLast,
        isFirst || part.prefix(while: \.isDecimalDigit).count == 2,
        let value = number.scaled(by: 1_000_000_000), isFirst || value < 60_000_000_000
      else { throw .malformed }
      let (product, overflow) = total.multipliedReportingOverflow(by: 60)
      total = product
      if overflow || total.addOverflows(value) { throw .tooLong }
    }
    self = .nanoseconds(total)
  }

  private init(units argument: String) throws(ValueError) {
    var rest = argument[...]
    var total: Int64 = 0
    var smallest = Int64.max
    repeat {
      guard let number = DecimalText(takingFrom: &rest) else { throw .malformed }
      let unit = try Self.takeUnit(from: &rest, alone: smallest == .max)
      guard unit < smallest, number.isWhole || rest.isEmpty else { throw .malformed }
      guard let part = number.scaled(by: unit), !total.addOverflows(part) else {
        throw .tooLong
      }
      smallest = unit
    } while !rest.isEmpty
    self = .nanoseconds(total)
  }

  /// Takes the unit at the front; a number without one counts seconds, but only alone.
  private static func takeUnit(
    from rest: inout Substring, alone: Bool
  ) throws(ValueError) -> Int64 {
    if rest.isEmpty && alone { return 1_000_000_000 }
    for unit in units where rest.hasPrefix(unit.name) {
      rest.removeFirst(unit.name.count)
      return unit.nanoseconds
    }
    throw .malformed
  }
}

extension Int64 {
  /// Adds in place; returns true if the sum would overflow, and adds nothing then.
  fileprivate mutating func addOverflows(_ other: Int64) -> Bool {
    let (sum, overflow) = addingReportingOverflow(other)
    if !overflow { self = sum }
    return overflow
  }
}

extension ValueError {
  fileprivate static var tooLong: ValueError {
    .outOfRange("the longest duration is 106751 days")
  }
}
