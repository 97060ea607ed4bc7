/// The usual ways in which people write numbers and units that are not the program's.
enum Misspelling {
  /// A text without its spaces, with a point for a decimal comma, and with small letters.
  static func numbers(_ text: String) -> [String] {
    let tight = text.filter { !$0.isWhitespace }
    let pointed = String(tight.map { $0 == "," ? "." : $0 })
    return [tight, pointed, pointed.lowercased()]
  }

  /// The same with the units of durations as the program writes them: `90min` becomes `90m`.
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
