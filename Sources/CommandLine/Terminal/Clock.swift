/// A duration in the form of players: `0:01.500`, `1:02:03.000`.
package func clock(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let milliseconds = attoseconds / 1_000_000_000_000_000
  let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
  let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
  let end = "\(twoDigits(second)).\(zeroPadded(milliseconds, to: 3))"
  return hours > 0 ? "\(hours):\(twoDigits(minute)):\(end)" : "\(minute):\(end)"
}

private func twoDigits(_ number: Int64) -> String { zeroPadded(number, to: 2) }

/// A number with leading zeros up to a width.
func zeroPadded(_ number: Int64, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// A duration to about a tenth, in words: `12 s`, `45 min`, `3 h`, `6 days`.
package func roughly(_ duration: Duration) -> String {
  let seconds = duration / .seconds(1)
  let units: [(size: Double, name: String)] = [(86_400, "days"), (3_600, "h"), (60, "min")]
  for unit in units where seconds >= 2 * unit.size {
    return "\(rounded(min(seconds / unit.size, 1e6), places: 0)) \(unit.name)"
  }
  return "\(Int(max(0, min(seconds, 120)))) s"
}
