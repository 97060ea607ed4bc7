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

/// Formats a duration as audio players show it: `0:01.500`, `1:02:03.000`.
package func clock(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let milliseconds = attoseconds / 1_000_000_000_000_000
  let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
  let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
  let end = "\(twoDigits(second)).\(zeroPadded(milliseconds, to: 3))"
  return hours > 0 ? "\(hours):\(twoDigits(minute)):\(end)" : "\(minute):\(end)"
}

private func twoDigits(_ number: Int64) -> String { zeroPadded(number, to: 2) }

/// Formats a number of lost frames with their duration: `480 frames lost (0:00.010)`.
///
/// - Parameter cause: the cause, which is added after the duration, or nil to leave the cause out.
package func lossText(
  _ frames: FrameCount, at rate: SampleRate, cause: String? = nil
) -> String {
  let details = [clock(frames.duration(at: rate)), cause].compactMap(\.self)
  let count = counted(Int(frames.value), "frame")
  return "\(count) lost (\(details.joined(separator: ", ")))"
}

/// Formats a number with leading zeros up to a width.
package func zeroPadded(_ number: some BinaryInteger, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Formats a count with its noun, in the plural except for 1: `1 mark`, `2 marks`.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// Formats a level for reports: `-12.3 dBFS`, or `silence`.
package func levelText(_ level: Decibels) -> String {
  level.value.isFinite ? rounded(level.value, places: 1) + " dBFS" : "silence"
}

/// Formats a size in the largest suitable unit, with one decimal below 10: `812 bytes`, `1.4 MiB`,
/// `23 GiB`.
package func sizeText(_ bytes: Int64) -> String {
  guard bytes >= 1_024 else { return counted(Int(bytes), "byte") }
  let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
  var scaled = Double(bytes) / 1_024
  var unit = 0
  while scaled >= 1_023.5, unit < units.count - 1 {
    scaled /= 1_024
    unit += 1
  }
  // For speed, `rounded` is not used: a long list has a size in each line.
  let tenths = Int((scaled * 10).rounded())
  if scaled < 9.95 { return "\(tenths / 10).\(tenths % 10) " + units[unit] }
  return String(Int(scaled.rounded())) + " " + units[unit]
}
