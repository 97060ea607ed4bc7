internal import Glibc

/// An instant of the wall clock. For labels only, because that clock can jump.
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

  /// The offset of the local time from UTC at this instant, positive if it is ahead.
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
  package init?(rfc3339 text: String) {
    guard var parts = unsafe tm(text, separators: "-T:Z", count: 6) else { return nil }
    self.init(sinceEpoch: .seconds(unsafe timegm(&parts)))
    // February 31 becomes another day. Only texts that `rfc3339` would write are accepted.
    guard rfc3339 == text else { return nil }
  }

  /// Parses a local time such as `2026-03-01T09:05`. Returns nil for any other format, and for a
  /// time that the clock skips. The C function is `mktime`.
  package init?(local text: String) {
    guard var parts = unsafe tm(text, separators: "-T:", count: 5) else { return nil }
    self.init(sinceEpoch: .seconds(unsafe mktime(&parts)))
    guard local("%Y-%m-%dT%H:%M") == text else { return nil }
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
  /// Parses the numbers of a text, beginning with the year. Returns nil if there are not exactly
  /// `count` of them.
  fileprivate init?(_ text: String, separators: String, count: Int) {
    let fields = text.split(whereSeparator: separators.contains).compactMap { Int32($0) }
    guard fields.count == count, fields.allSatisfy({ (0...9999).contains($0) }) else { return nil }
    unsafe self.init()
    unsafe (tm_year, tm_mon, tm_mday) = (fields[0] - 1900, fields[1] - 1, fields[2])
    unsafe (tm_hour, tm_min) = (fields[3], fields[4])
    unsafe tm_sec = count > 5 ? fields[5] : 0
    // The system determines whether daylight saving time applies. `timegm` ignores this field.
    unsafe tm_isdst = -1
  }

  // This program never calls setlocale, so the locale is C.
  fileprivate func text(_ pattern: String) -> String? {
    var parts = unsafe self
    var text = [CChar](repeating: 0, count: 1024)
    let count = unsafe strftime(&text, text.count, pattern, &parts)
    guard count > 0 else { return nil }
    return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
