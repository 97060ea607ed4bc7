/// A decimal number as it was typed, kept exact until its unit is known.
struct DecimalText: Equatable {
  /// All digits, the point left out.
  private let digits: Int128
  /// Ten to the power of how many digits stood behind the point.
  private let divisor: Int128

  var isWhole: Bool { divisor == 1 }

  /// Takes the digits at the front of `text`, or none where there are none.
  ///
  /// Nothing else is a number here: no sign, no exponent, no `inf`, no hexadecimal.
  init?(takingFrom text: inout Substring) {
    let whole = text.takeDigits()
    var fraction: Substring = ""
    if text.first == ".", text.dropFirst().first?.isDecimalDigit == true {
      text.removeFirst()
      fraction = text.takeDigits()
    }
    // 24 digits are far beyond every limit and, with any unit, within Int128.
    guard whole.count + fraction.count <= 24, !(whole.isEmpty && fraction.isEmpty),
      let digits = Int128(whole + fraction)
    else { return nil }
    self.digits = digits
    self.divisor = fraction.reduce(1) { power, _ in power * 10 }
  }

  /// The number times `unit`, rounded down, or nil past Int64.
  func scaled(by unit: Int64) -> Int64? {
    Int64(exactly: digits * Int128(unit) / divisor)
  }

  /// The number itself.
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
  /// Whether this is one of `0` to `9`; `isNumber` takes those of every script.
  var isDecimalDigit: Bool { ("0"..."9").contains(self) }
}
