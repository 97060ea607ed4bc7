extension Duration: ArgumentValue {
  package static var placeholder: String { "DURATION" }
  package static var expectation: String { "a duration such as 90, 90s, 1m30s or 2h" }

  private static var units: [(name: String, nanoseconds: Int64)] {
    [
      ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("ms", 1_000_000),
      ("m", 60_000_000_000), ("s", 1_000_000_000),
    ]
  }

  /// Reads `90`, `1.5s`, `250ms` or `1h30m`: the larger unit first, each at most once.
  package init(argument: String) throws(ValueError) {
    var rest = argument[...]
    var total: Int64 = 0
    var smallest = Int64.max
    repeat {
      guard let number = DecimalText(takingFrom: &rest) else { throw .malformed }
      let unit = try Self.takeUnit(from: &rest, alone: smallest == .max)
      guard unit < smallest, number.isWhole || rest.isEmpty else { throw .malformed }
      guard let part = number.scaled(by: unit), !total.addOverflows(part) else {
        throw .outOfRange("the longest duration is 106751 days")
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
  /// Adds in place; says whether the sum left the range, where nothing is added.
  fileprivate mutating func addOverflows(_ other: Int64) -> Bool {
    let (sum, overflow) = addingReportingOverflow(other)
    if !overflow { self = sum }
    return overflow
  }
}
