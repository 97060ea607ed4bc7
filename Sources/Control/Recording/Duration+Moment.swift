package import JSON
internal import Linux

/// A time since 1970 as JSON has it: in the form of RFC 3339, to the microsecond.
extension Duration {
  /// Reads what `moment` wrote; nil for a text that is not RFC 3339 in UTC.
  package init?(moment json: JSONValue) {
    guard let parts = json.string?.split(separator: "."), let whole = parts.first,
      let time = WallTime(rfc3339: parts.count == 1 ? String(whole) : whole + "Z")
    else { return nil }
    let digits = parts.dropFirst().first?.dropLast() ?? "0"
    guard parts.count <= 2, digits.count <= 9, let fraction = Int64(digits) else { return nil }
    let unit = (digits.count..<9).reduce(Int64(1)) { unit, _ in unit * 10 }
    self = time.sinceEpoch + .nanoseconds(parts.count == 1 ? 0 : fraction * unit)
  }

  /// The instant this long after 1970.
  package var moment: JSONValue {
    let microseconds = "\(components.attoseconds / 1_000_000_000_000)"
    let zeros = String(repeating: "0", count: max(0, 6 - microseconds.count))
    let whole = WallTime(sinceEpoch: self).rfc3339.dropLast()
    return .string("\(whole).\(zeros)\(microseconds)Z")
  }
}
