/// The version of the release. No other source file states it.
package enum Version {
  /// The version of the program, its libraries and its manual.
  package static let current = "1.0.0-beta"
  /// The day of the last change to the manual of this release.
  package static let date = "2026-11-22"
}
