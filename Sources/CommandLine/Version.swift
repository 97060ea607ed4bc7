/// The one place that says which release this is.
package enum Version {
  package static let current = "0.1.0"
  /// The day of the last change to the manual of this release.
  static let date = "2026-11-22"
}
