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
