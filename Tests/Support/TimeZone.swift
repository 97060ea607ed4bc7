import Glibc

/// Sets the time zone of this process, which is the process of an exit test.
///
/// - Parameter zone: the rules in the format of POSIX, such as `GMT0BST,M3.5.0/1,M10.5.0`.
package func setTimeZone(_ zone: String) {
  setenv("TZ", zone, 1)
  tzset()
}
