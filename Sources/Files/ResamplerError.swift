/// The reason why a stream could not be resampled.
package struct ResamplerError: Error, Hashable, Sendable {
  /// The function of soxr that failed.
  package let function: String
  /// soxr's own words.
  package let words: String
}

extension ResamplerError: CustomStringConvertible {
  /// `soxr_create: invalid rate`.
  package var description: String { "\(function): \(words)" }
}
