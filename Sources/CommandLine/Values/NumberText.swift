/// A decimal number as typed, exact until its unit is known.
struct DecimalText: Equatable {
  /// All digits without the decimal point.
  private let digits: Int128
  /// Ten to the power of the number of decimals.
  private let divisor: Int128

  var isWhole: Bool { divisor == 1 }

  /// Takes the digits at the front of `text`; nil if there are none.
  ///
  /// Accepts no sign, no exponent, no `inf` and no hexadecimal.
  init?(takingFrom text: inout Substring) {
    let whole = text.takeDigits()
    var fraction: Substring = ""
    if text.first == ".", text.dropFirst().first?.isDecimalDigit == true {
      text.removeFirst()
      fraction = text.takeDigits()
    }
    // 24 digits are more than any limit needs and, with any unit, fit into Int128.
    guard whole.count + fraction.count <= 24, !(whole.isEmpty && fraction.isEmpty),
      let digits = Int128(whole + fraction)
    else { return nil }
    self.digits = digits
    self.divisor = fraction.reduce(1) { power, _ in power * 10 }
  }

  /// The number times `unit`, rounded down; nil if it exceeds Int64.
  func scaled(by unit: Int64) -> Int64? {
    Int64(exactly: digits * Int128(unit) / divisor)
  }

  /// The nearest Double.
  var double: Double { Double(digits) / Double(divisor) }
}

extension Substring {
  /// Removes and returns the ASCII digits at the front.
  fileprivate mutating func takeDigits() -> Substring {
    let digits = prefix(while: \.isDecimalDigit)
    removeFirst(digits.count)
    return digits
  }
}

extension Character {
  /// True for `0` to `9`; `isNumber` takes the digits of every script.
  var isDecimalDigit: Bool { ("0"..."9").contains(self) }
}

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
      "w": ["week", "weeks"], "d": ["day", "days"], "h": ["hr", "hrs", "hour", "hours", "std"],
      "m": ["min", "mins", "minute", "minutes"],
      "s": ["sec", "secs", "second", "seconds", "sek"],
      "ms": ["msec", "msecs", "millisecond", "milliseconds"],
    ]
    var units: [String: String] = [:]
    for (unit, names) in words { for name in names { units[name] = unit } }
    return units
  }()
}
