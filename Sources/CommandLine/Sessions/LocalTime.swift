internal import Linux

/// Formats this moment in local time by a pattern of `strftime`; nil if the result is empty.
func localTime(_ pattern: String) -> String? { WallTime.now.local(pattern) }

/// A moment since 1970 in local time, for a person.
package func localTime(of moment: Duration) -> String {
  WallTime(sinceEpoch: moment).local("%Y-%m-%d %H:%M:%S") ?? ""
}
