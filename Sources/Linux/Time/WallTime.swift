internal import Glibc

/// An instant of the wall clock. Use it only for labels, because the clock can jump.
package struct WallTime: Hashable, Comparable, Sendable {
  /// The time since 1970 in UTC.
  package let sinceEpoch: Duration

  /// Creates the instant at this time after 1970.
  package init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

  /// The current time.
  package static var now: WallTime { WallTime(sinceEpoch: KernelClock.realTime.now) }

  /// Returns true if `left` is the earlier time.
  package static func < (left: WallTime, right: WallTime) -> Bool {
    left.sinceEpoch < right.sinceEpoch
  }

  /// The time in whole seconds in the format of RFC 3339, such as `2026-03-01T09:05:07Z`.
  package var rfc3339: String { unsafe parts(by: gmtime_r).text("%Y-%m-%dT%H:%M:%SZ") ?? "" }

  /// The offset of the local time from UTC at this instant, positive if the local time is ahead.
  package var localOffset: Duration { .seconds(unsafe parts(by: localtime_r).tm_gmtoff) }

  /// The name of the local time zone, such as `Europe/Berlin`, or nil if it has no name.
  package static var zone: String? {
    if let named = Environment.text(of: "TZ") {
      return named.begins(with: ":") ? named.trimmingBytes(first: 1) : named
    }
    guard let target = try? SymbolicLink.target(of: "/etc/localtime"),
      let range = target.range(of: zones)
    else { return nil }
    return String(target[range.upperBound...])
  }

  private static let zones = "/zoneinfo/"

  /// Returns the local time in a format of `strftime` and in the C locale. Returns nil if the
  /// result is empty or too long.
  package func local(_ pattern: String) -> String? {
    unsafe parts(by: localtime_r).text(pattern)
  }

  /// Parses the format of `rfc3339`. Returns nil for any other format.
  package init?(rfc3339 text: String) { self.init(rfc3339: text.utf8.span) }

  /// Parses the format of `rfc3339` without allocating memory, because a file can contain many time
  /// stamps. Returns nil for any other format.
  package init?(rfc3339 text: Span<UInt8>) {
    guard text.count == 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
      text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "Z"),
      let year = text.number(at: 0..<4, in: 1_000...9_999),
      let month = text.number(at: 5..<7, in: 1...12),
      let day = text.number(at: 8..<10, in: 1...Self.days(in: month, of: year)),
      let hour = text.number(at: 11..<13, in: 0...23),
      let minute = text.number(at: 14..<16, in: 0...59),
      let second = text.number(at: 17..<19, in: 0...59)
    else { return nil }
    let days = Self.days(toYear: year, month) + day - 1
    self.init(sinceEpoch: .seconds(((days * 24 + hour) * 60 + minute) * 60 + second))
  }

  /// Returns the number of days from 1970 to the first day of a month.
  private static func days(toYear year: Int64, _ month: Int64) -> Int64 {
    // The year begins with March here, so that a leap day is the last day of its year.
    let year = month < 3 ? year - 1 : year
    let month = (month + 9) % 12
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 - 719_468
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    days(toYear: month == 12 ? year + 1 : year, month % 12 + 1) - days(toYear: year, month)
  }

  /// Parses a local time such as `2026-03-01T09:05`. Returns nil for any other format, and for a
  /// time that the clock skips. If the clock shows the time twice, the result is the first moment.
  package init?(local text: String) {
    guard let first = Self.moments(local: text).first else { return nil }
    self = first
  }

  /// Returns the moments at which the local clock shows a time such as `2026-03-01T09:05`, the
  /// earliest first. There are two moments if the clock is set back past the time, and none if the
  /// clock skips the time. The result is also empty for any other format.
  package static func moments(local text: String) -> [WallTime] {
    guard let utc = WallTime(rfc3339: text + ":00Z")?.sinceEpoch else { return [] }
    // Local time differs from UTC by less than a day, and no zone changes its offset twice within
    // two days. So the offset of each moment is the offset one day earlier or one day later.
    let day = Duration.seconds(86_400)
    let offsets = Set([utc - day, utc + day].map { WallTime(sinceEpoch: $0).localOffset })
    return offsets.map { WallTime(sinceEpoch: utc - $0) }
      .filter { $0.local("%Y-%m-%dT%H:%M") == text }.sorted()
  }

  @unsafe private func parts(
    by convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
  ) -> tm {
    var parts = unsafe tm()
    var seconds = time_t(sinceEpoch.components.seconds)
    _ = unsafe convert(&seconds, &parts)
    return unsafe parts
  }
}

extension tm {
  // This program never calls setlocale, so the locale is C.
  fileprivate func text(_ pattern: String) -> String? {
    var parts = unsafe self
    var text = [CChar](repeating: 0, count: 1024)
    let count = unsafe strftime(&text, text.count, pattern, &parts)
    guard count > 0 else { return nil }
    return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension Span<UInt8> {
  /// Returns the decimal number at a range. Returns nil if a character is not a digit, or if the
  /// number is not one of `values`.
  fileprivate func number(at range: Range<Int>, in values: ClosedRange<Int64>) -> Int64? {
    var number: Int64 = 0
    for index in range {
      let digit = self[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + Int64(digit)
    }
    return values.contains(number) ? number : nil
  }
}
