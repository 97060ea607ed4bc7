/// A moment as the calendar has it, in whole seconds; anybody may set that clock.
package struct WallTime: Hashable, Comparable, Sendable {
  /// Seconds since the beginning of 1970, within the years 0 to 9999.
  package let seconds: Int64

  /// A moment; one outside the years that can be written is moved to the nearest that can.
  package init(seconds: Int64) {
    self.seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
  }

  package static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }

  /// The moment `duration` later, rounded down.
  package static func + (time: WallTime, duration: Duration) -> WallTime {
    WallTime(seconds: time.seconds.clampedSum(duration.components.seconds))
  }

  /// The time from `start` to `end`.
  package static func - (end: WallTime, start: WallTime) -> Duration {
    .seconds(end.seconds - start.seconds)
  }
}

extension WallTime: CustomStringConvertible {
  /// `2026-03-01T09:30:00Z`, the only form in which a moment is stored.
  package var description: String {
    let (day, second) = seconds.flooredDivision(by: 86_400)
    let date = CivilDate(day: day)
    let time = [second / 3_600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }
    return "\(date)T\(time.joined(separator: ":"))Z"
  }

  /// Reads what `description` writes and nothing else.
  package init?(_ text: String) {
    let digits = text.utf8.map { Int64($0) - 48 }
    guard digits.count == 20 else { return nil }
    func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
    let date = CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10))
    let time = number(11..<13) * 3_600 + number(14..<16) * 60 + number(17..<19)
    self.init(seconds: date.day * 86_400 + time)
    // Written again it must be the same text: so there is one spelling, and no month 13.
    guard description == text else { return nil }
  }
}

/// A day of the Gregorian calendar.
private struct CivilDate: CustomStringConvertible {
  /// Days since the first of January 1970.
  let day: Int64

  init(day: Int64) { self.day = day }

  /// Counts from the first of March of the year 0, so that a leap day is the last of its year.
  init(year: Int64, month: Int64, day: Int64) {
    let march = month > 2 ? month - 3 : month + 9
    let (era, yearOfEra) = (month > 2 ? year : year - 1).flooredDivision(by: 400)
    let dayOfYear = (153 * march + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    self.day = era * 146_097 + dayOfEra - 719_468
  }

  var description: String {
    let (era, dayOfEra) = (day + 719_468).flooredDivision(by: 146_097)
    let leaps = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leaps) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let dayOfMonth = dayOfYear - (153 * march + 2) / 5 + 1
    return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(dayOfMonth.padded(to: 2))"
  }
}

extension Int64 {
  /// The quotient rounded down, and what is left, never negative.
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }

  fileprivate func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }

  fileprivate func clampedSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
