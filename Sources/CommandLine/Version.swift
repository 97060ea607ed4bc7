/// The one place that says which release this is.
package enum Version {
  package static let current = "0.1.0"
  /// When the manual of this release was last changed.
  static let date = "2026-11-22"
}
