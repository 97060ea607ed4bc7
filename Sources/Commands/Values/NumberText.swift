/// A decimal number as typed. It is exact; only `scaled(by:)` and `double` round it.
struct DecimalText: Equatable {
  /// All digits without the decimal point.
  private let digits: Int128
  /// Ten to the power of the number of decimal places.
  private let divisor: Int128

  var isWhole: Bool { divisor == 1 }

  /// Reads and removes the number at the front of `text`. Returns nil if there is none, or if it
  /// has more than 24 digits.
  ///
  /// Signs, exponents, `inf` and hexadecimal numbers are not accepted.
  init?(takingFrom text: inout Substring) {
    let whole = text.takeDigits()
    var fraction: Substring = ""
    if text.first == ".", text.dropFirst().first?.isDecimalDigit == true {
      text.removeFirst()
      fraction = text.takeDigits()
    }
    // No valid value needs more than 24 digits. The product of 24 digits and any unit fits into
    // Int128.
    guard whole.count + fraction.count <= 24, !(whole.isEmpty && fraction.isEmpty),
      let digits = Int128(whole + fraction)
    else { return nil }
    self.digits = digits
    self.divisor = fraction.reduce(1) { power, _ in power * 10 }
  }

  /// Returns the number times `unit`, rounded down, or nil if it exceeds Int64.
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
  /// Whether the character is `0` to `9`. `isNumber` accepts the digits of every script.
  var isDecimalDigit: Bool { ("0"..."9").contains(self) }
}

/// The corrections of common misspellings of numbers and units.
enum Misspelling {
  /// Returns three corrections: the text without spaces, then the same with decimal points instead
  /// of commas, then the second text in lower case.
  static func numbers(_ text: String) -> [String] {
    let tight = text.filter { !$0.isWhitespace }
    let pointed = String(tight.map { $0 == "," ? "." : $0 })
    return [tight, pointed, pointed.lowercased()]
  }

  /// Returns the corrections of `numbers`, with the units of the program: `90min` becomes `90m`.
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
