internal import Linux

/// Fills a pattern of `strftime` with this moment in local time; nil where nothing comes of it.
func localTime(_ pattern: String) -> String? { WallTime.now.local(pattern) }

/// A moment since 1970 as a person reads it.
package func localTime(of moment: Duration) -> String {
  WallTime(sinceEpoch: moment).local("%Y-%m-%d %H:%M:%S") ?? ""
}
