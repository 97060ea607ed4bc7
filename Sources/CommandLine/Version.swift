/// The one place that says which release this is.
package enum Version {
  package static let current = "0.1.0"
}
