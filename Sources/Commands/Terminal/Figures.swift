internal import Audio
internal import Linux

/// Formats a duration in whole units, such as `12 s`, `45 min`, `3 h` or `6 days`. The unit is the
/// largest that fits at least twice.
func roughly(_ duration: Duration) -> String {
  let seconds = duration / .seconds(1)
  let units: [(size: Double, name: String)] = [(86_400, "days"), (3_600, "h"), (60, "min")]
  for unit in units where seconds >= 2 * unit.size {
    return "\(rounded(min(seconds / unit.size, 1e6), places: 0)) \(unit.name)"
  }
  return "\(Int(max(0, min(seconds, 120)))) s"
}

/// Formats a duration to the millisecond, such as `1 h 30 min`, `2 days` or `2.5 s`.
func exactly(_ duration: Duration) -> String {
  var milliseconds = Int64((duration / .milliseconds(1)).rounded())
  let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
  milliseconds = rest
  var texts = days > 0 ? [counted(Int(days), "day")] : []
  let units: [(size: Int64, name: String)] = [(3_600_000, "h"), (60_000, "min")]
  for unit in units where milliseconds >= unit.size {
    texts.append("\(milliseconds / unit.size) \(unit.name)")
    milliseconds %= unit.size
  }
  if milliseconds > 0 || texts.isEmpty {
    let places = milliseconds % 1_000 == 0 ? 0 : milliseconds % 100 == 0 ? 1 : 3
    texts.append(rounded(Double(milliseconds) / 1_000, places: places) + " s")
  }
  return texts.joined(separator: " ")
}

/// Formats the current local time by a pattern of `strftime`. Returns nil if the result is empty.
func localTime(_ pattern: String) -> String? { WallTime.now.local(pattern) }

/// Returns the first conversion that recorder does not accept, or nil if the pattern has none. The
/// C library has more conversions. But names rarely need them, and an ordinary percent sign in a
/// name could be read as one of them. A single percent sign after a digit is not accepted either,
/// because it may be a percentage, as in `100%done`. The result then begins with this digit.
func unknownConversion(in pattern: String) -> String? {
  var rest = Array(pattern.utf8)[...]
  while let start = rest.firstIndex(of: UInt8(ascii: "%")) {
    let digit = rest[..<start].suffix(1).filter("0123456789".utf8.contains)
    rest = rest[(start + 1)...]
    let flags = rest.prefix { "-_0^#".utf8.contains($0) }
    let letter = rest.dropFirst(flags.count).first
    let codes = digit.isEmpty ? "%aAbBdeFGhHIjklmMpPsSTuUVwWyYzZ" : "%"
    guard letter.map(codes.utf8.contains) == true else {
      return String(
        decoding: digit + [UInt8(ascii: "%")] + rest.prefix(flags.count + 1), as: UTF8.self)
    }
    rest = rest.dropFirst(flags.count + 1)
  }
  return nil
}

/// Formats a time since 1970 as local time for a person.
package func localTime(of moment: Duration) -> String {
  WallTime(sinceEpoch: moment).local("%Y-%m-%d %H:%M:%S") ?? ""
}
