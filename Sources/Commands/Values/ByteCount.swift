internal import Audio

/// A number of bytes, for the sizes and limits of files.
package struct ByteCount: Hashable, Comparable, Sendable {
  /// The number of bytes.
  package let value: Int64

  /// Creates a size in bytes.
  package init(_ value: Int64) { self.value = value }

  /// Compares the numbers of bytes.
  package static func < (left: ByteCount, right: ByteCount) -> Bool { left.value < right.value }
}

extension ByteCount: ArgumentValue {
  /// The placeholder for a size in the help.
  package static let placeholder = "SIZE"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "a size such as 500M or 4G"

  /// True, because `500 M` as two words is a size with its unit.
  package static var hasUnit: Bool { true }

  /// Returns the corrections of a number, then the same texts in capitals.
  package static func corrections(of text: String) -> [String] {
    let tight = Misspelling.numbers(text)
    return tight + tight.map { $0.uppercased() }
  }

  /// Reads `4096`, `500M`, `1.5G`, `4GiB` (powers of 1,024) or `4GB` (powers of 1,000). Throws for
  /// text of another form, or a size that is too large.
  package init(argument: String) throws(ValueError) {
    var rest = argument[...]
    guard let number = DecimalText(takingFrom: &rest), let unit = Self.unit(named: rest) else {
      throw .malformed
    }
    guard let value = number.scaled(by: unit) else {
      throw .outOfRange("the largest size is 8388607T")
    }
    self.value = value
  }

  private static func unit(named name: Substring) -> Int64? {
    guard name != "", name != "B" else { return 1 }
    guard let letter = name.first,
      let power = ["K", "M", "G", "T"].firstIndex(of: letter.uppercased())
    else { return nil }
    let base: Int64? =
      switch name.dropFirst() {
      case "", "iB": 1_024
      case "B": 1_000
      default: nil
      }
    return base.map { base in (0...power).reduce(1) { unit, _ in unit * base } }
  }
}

extension ByteCount: CustomStringConvertible {
  /// The size in the largest suitable unit, such as `1.4 MiB`.
  package var description: String { sizeText(value) }
}
