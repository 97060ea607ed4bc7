internal import Glibc

/// An instant of the wall clock; for labels only, because that clock can jump.
package struct WallTime: Hashable, Comparable, Sendable {
  /// The time since 1970 in UTC.
  package let sinceEpoch: Duration

  /// The instant at this time after 1970.
  package init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

  /// The present time of the clock.
  package static var now: WallTime { WallTime(sinceEpoch: KernelClock.realTime.now) }

  /// The earlier time comes first.
  package static func < (left: WallTime, right: WallTime) -> Bool {
    left.sinceEpoch < right.sinceEpoch
  }

  /// `2026-03-01T09:05:07Z`, the whole seconds in the form of RFC 3339.
  package var rfc3339: String {
    var parts = unsafe tm()
    var seconds = time_t(sinceEpoch.components.seconds)
    unsafe gmtime_r(&seconds, &parts)
    return unsafe parts.text("%Y-%m-%dT%H:%M:%SZ") ?? ""
  }

  /// The distance of the local time from UTC at this time, positive where it is ahead.
  package var localOffset: Duration {
    var parts = unsafe tm()
    var seconds = time_t(sinceEpoch.components.seconds)
    unsafe localtime_r(&seconds, &parts)
    return .seconds(unsafe parts.tm_gmtoff)
  }

  /// Fills a pattern of `strftime` in local time and the C locale; nil where the result is empty or
  /// too long.
  package func local(_ pattern: String) -> String? {
    var parts = unsafe tm()
    var seconds = time_t(sinceEpoch.components.seconds)
    unsafe localtime_r(&seconds, &parts)
    return unsafe parts.text(pattern)
  }

  /// Reads the form that `rfc3339` writes; nil for any other.
  package init?(rfc3339 text: String) {
    let fields = text.split(whereSeparator: "-T:Z".contains).compactMap { Int32($0) }
    guard fields.count == 6, fields.allSatisfy({ (0...9999).contains($0) }) else { return nil }
    var parts = unsafe tm()
    unsafe parts.tm_year = fields[0] - 1900
    unsafe parts.tm_mon = fields[1] - 1
    unsafe parts.tm_mday = fields[2]
    unsafe parts.tm_hour = fields[3]
    unsafe parts.tm_min = fields[4]
    unsafe parts.tm_sec = fields[5]
    self.init(sinceEpoch: .seconds(unsafe timegm(&parts)))
    // The 31st of February becomes another day; only texts that we would write ourselves are
    // accepted.
    guard rfc3339 == text else { return nil }
  }

  /// Reads `2026-03-01T09:05` as the clock shows it here; nil for any other form, and for a time that
  /// the clock skips. The C function is `mktime`.
  package init?(local text: String) {
    let fields = text.split(whereSeparator: "-T:".contains).compactMap { Int32($0) }
    guard fields.count == 5, fields.allSatisfy({ (0...9999).contains($0) }) else { return nil }
    var parts = unsafe tm()
    unsafe parts.tm_year = fields[0] - 1900
    unsafe parts.tm_mon = fields[1] - 1
    unsafe parts.tm_mday = fields[2]
    unsafe parts.tm_hour = fields[3]
    unsafe parts.tm_min = fields[4]
    unsafe parts.tm_isdst = -1
    self.init(sinceEpoch: .seconds(unsafe mktime(&parts)))
    guard local("%Y-%m-%dT%H:%M") == text else { return nil }
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
