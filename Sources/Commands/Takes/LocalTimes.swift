internal import Linux

/// A formatter for many times in local time, with only two calls of the C library for each day. If
/// the offset from UTC changes on a day, each time of that day needs a call. For this call, the
/// time is rounded down to a quarter of an hour: zones change their offsets only then.
struct LocalTimes {
  private var days: [Int64: Int64?] = [:]
  private var last: (day: Int64, offset: Int64?) = (-1, nil)
  /// The text of the last local day.
  private var date: (day: Int64, text: [UInt8]) = (-1, [])

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
    if day != date.day {
      let midnight = WallTime(sinceEpoch: .seconds(day * 86_400))
      date = (day, Array(midnight.rfc3339.utf8.prefix(10)))
    }
    let start = text.count
    text += date.text
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
}
