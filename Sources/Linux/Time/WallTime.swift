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
  package var rfc3339: String { unsafe parts(by: gmtime_r).text("%Y-%m-%dT%H:%M:%SZ") ?? "" }

  /// The distance of the local time from UTC at this time, positive where it is ahead.
  package var localOffset: Duration { .seconds(unsafe parts(by: localtime_r).tm_gmtoff) }

  /// The name of the local time zone, such as `Europe/Berlin`; nil where it has none.
  package static var zone: String? {
    if let named = Environment.value(of: "TZ"), !named.isEmpty {
      return named.begins(with: ":") ? named.trimmingBytes(first: 1) : named
    }
    guard let target = try? SymbolicLink.target(of: "/etc/localtime"),
      let place = target.place(of: zones)
    else { return nil }
    return String(target[place.upperBound...])
  }

  private static let zones = "/zoneinfo/"

  /// Fills a pattern of `strftime` in local time and the C locale; nil where the result is empty or
  /// too long.
  package func local(_ pattern: String) -> String? {
    unsafe parts(by: localtime_r).text(pattern)
  }

  /// Reads the form that `rfc3339` writes; nil for any other.
  package init?(rfc3339 text: String) {
    guard var parts = unsafe tm(text, separators: "-T:Z", count: 6) else { return nil }
    self.init(sinceEpoch: .seconds(unsafe timegm(&parts)))
    // The 31st of February becomes another day; only texts that we would write ourselves are
    // accepted.
    guard rfc3339 == text else { return nil }
  }

  /// Reads `2026-03-01T09:05` as the clock shows it here; nil for any other form, and for a time
  /// that the clock skips. The C function is `mktime`.
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
  /// Reads the numbers of a text from the year on; nil unless there are `count` of them.
  fileprivate init?(_ text: String, separators: String, count: Int) {
    let fields = text.split(whereSeparator: separators.contains).compactMap { Int32($0) }
    guard fields.count == count, fields.allSatisfy({ (0...9999).contains($0) }) else { return nil }
    unsafe self.init()
    unsafe (tm_year, tm_mon, tm_mday) = (fields[0] - 1900, fields[1] - 1, fields[2])
    unsafe (tm_hour, tm_min) = (fields[3], fields[4])
    unsafe tm_sec = count > 5 ? fields[5] : 0
    // Summer time or not, as the system finds out; `timegm` ignores it.
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
