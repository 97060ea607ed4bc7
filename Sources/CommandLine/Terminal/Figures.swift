internal import Linux

/// Formats a number with a fixed number of decimals, independent of the locale: `1.4`, `48`.
package func rounded(_ number: Double, places: Int) -> String {
  let unit = (0..<places).reduce(1.0) { unit, _ in unit * 10 }
  let scaled = (number.magnitude * unit).rounded()
  guard scaled < 9e15 else { return "\(number)" }
  let (whole, fraction) = Int64(scaled).quotientAndRemainder(dividingBy: Int64(unit))
  let sign = number < 0 && scaled > 0 ? "-" : ""
  guard places > 0 else { return "\(sign)\(whole)" }
  return "\(sign)\(whole)." + zeroPadded(fraction, to: places)
}

/// Formats a duration in the form of players: `0:01.500`, `1:02:03.000`.
package func clock(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let milliseconds = attoseconds / 1_000_000_000_000_000
  let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
  let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
  let end = "\(twoDigits(second)).\(zeroPadded(milliseconds, to: 3))"
  return hours > 0 ? "\(hours):\(twoDigits(minute)):\(end)" : "\(minute):\(end)"
}

private func twoDigits(_ number: Int64) -> String { zeroPadded(number, to: 2) }

/// Formats a number with leading zeros up to a width.
private func zeroPadded(_ number: Int64, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

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

/// Formats the current local time by a pattern of `strftime`. Returns nil if the result is empty.
func localTime(_ pattern: String) -> String? { WallTime.now.local(pattern) }

/// Returns the first conversion in a pattern that recorder does not accept, or nil if there is
/// none. The C library has more conversions, but a percent sign in a name is more likely to form
/// one of them by chance than on purpose.
func unknownConversion(in pattern: String) -> String? {
  var rest = Array(pattern.utf8)[...]
  while let start = rest.firstIndex(of: UInt8(ascii: "%")) {
    rest = rest[(start + 1)...]
    let flags = rest.prefix { "-_0^#".utf8.contains($0) }
    guard let letter = rest.dropFirst(flags.count).first,
      "%aAbBdeFGhHIjklmMpPsSTuUVwWyYzZ".utf8.contains(letter)
    else { return "%" + String(decoding: rest.prefix(flags.count + 1), as: UTF8.self) }
    rest = rest.dropFirst(flags.count + 1)
  }
  return nil
}

/// Formats a time since 1970 as local time for a person.
package func localTime(of moment: Duration) -> String {
  WallTime(sinceEpoch: moment).local("%Y-%m-%d %H:%M:%S") ?? ""
}

/// Formats a count with its noun, in the plural except for 1: `1 mark`, `2 marks`.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}
