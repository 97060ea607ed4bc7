/// Corrections of common misspellings of numbers and units.
enum Misspelling {
  /// The text without spaces, with a decimal point for a comma, and in lower case.
  static func numbers(_ text: String) -> [String] {
    let tight = text.filter { !$0.isWhitespace }
    let pointed = String(tight.map { $0 == "," ? "." : $0 })
    return [tight, pointed, pointed.lowercased()]
  }

  /// The same with the program's units of durations: `90min` becomes `90m`.
  static func durations(_ text: String) -> [String] {
    numbers(text).map { spelled in
      var result = ""
      var rest = spelled.lowercased()[...]
      while !rest.isEmpty {
        let number = rest.prefix { !$0.isLetter }
        let unit = rest.dropFirst(number.count).prefix(while: \.isLetter)
        result += number + (units[String(unit)] ?? String(unit))
        rest = rest.dropFirst(number.count + unit.count)
      }
      return result
    }
  }

  private static let units: [String: String] = {
    let words = [
      "d": ["day", "days"], "h": ["hr", "hrs", "hour", "hours", "std"],
      "m": ["min", "mins", "minute", "minutes"],
      "s": ["sec", "secs", "second", "seconds", "sek"],
      "ms": ["msec", "msecs", "millisecond", "milliseconds"],
    ]
    var units: [String: String] = [:]
    for (unit, names) in words { for name in names { units[name] = unit } }
    return units
  }()
}
