internal import Linux

/// Many times in local time. The C library is called once for each day. On a day that begins and
/// ends with different offsets from UTC, it is called for each time, rounded down to a quarter of
/// an hour: no zone changes its offset within that.
struct LocalTimes {
  private var days: [Int64: Int64?] = [:]
  private var last: (day: Int64, offset: Int64?) = (-1, nil)

  /// Returns the same text as `localTime(of:)`.
  mutating func text(of moment: Duration) -> String {
    var bytes: [UInt8] = []
    append(moment, 0..<19, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends some characters of the text of `localTime(of:)`.
  mutating func append(_ moment: Duration, _ characters: Range<Int>, to text: inout [UInt8]) {
    guard !characters.isEmpty else { return }
    let seconds = moment.components.seconds
    let local = seconds + (seconds < 0 ? 0 : offset(at: seconds))
    guard seconds >= 0, (0..<253_402_300_800).contains(local) else {
      return text.append(
        localTime(of: moment).dropFirst(characters.lowerBound).prefix(characters.count))
    }
    let (day, rest) = local.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, date) = Self.date(day)
    let start = text.count
    text.append(number: year, digits: 4)
    text.append(UInt8(ascii: "-"))
    text.append(number: month, digits: 2)
    text.append(UInt8(ascii: "-"))
    text.append(number: date, digits: 2)
    text.append(UInt8(ascii: " "))
    text.append(number: rest / 3_600, digits: 2)
    text.append(UInt8(ascii: ":"))
    text.append(number: rest / 60 % 60, digits: 2)
    text.append(UInt8(ascii: ":"))
    text.append(number: rest % 60, digits: 2)
    guard characters.count < 19 else { return }
    text.removeLast(19 - characters.upperBound)
    text.removeSubrange(start..<start + characters.lowerBound)
  }

  /// Returns the offset of local time from UTC in seconds.
  private mutating func offset(at seconds: Int64) -> Int64 {
    let day = seconds / 86_400
    if day != last.day {
      let known = days[day] ?? Self.offset(ofDay: day)
      days[day] = .some(known)
      last = (day, known)
    }
    return last.offset ?? Self.offset(seconds / 900 * 900)
  }

  /// Returns the offset of a whole day, or nil if the offset changes on that day.
  private static func offset(ofDay day: Int64) -> Int64? {
    let offset = offset(day * 86_400)
    return offset == self.offset((day + 1) * 86_400) ? offset : nil
  }

  private static func offset(_ seconds: Int64) -> Int64 {
    WallTime(sinceEpoch: .seconds(seconds)).localOffset.components.seconds
  }

  /// Converts a number of days since 1970 to a Gregorian date. For the calculation, years begin in
  /// March, so that the leap day is the last day of a year.
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let inEra = shifted % 146_097
    let year = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * year + year / 4 - year / 100)
    let month = (5 * inYear + 2) / 153
    let day = inYear - (153 * month + 2) / 5 + 1
    let civil = month < 10 ? month + 3 : month - 9
    return (year + era * 400 + (civil <= 2 ? 1 : 0), civil, day)
  }
}
