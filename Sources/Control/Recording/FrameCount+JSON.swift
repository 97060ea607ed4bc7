package import Audio
package import JSON

extension FrameCount: JSONConvertible {
  /// Nil for what no stream can have: a file was tampered with then, and sums could overflow.
  package init?(json: JSONValue) {
    guard let value = json.integer(in: 0...Self.most.value) else { return nil }
    self.init(value)
  }

  /// The number of frames.
  package var json: JSONValue { value.json }
}

extension Duration {
  /// Longer than any recording; sums of millions of these do not overflow.
  static let mostRecorded = Duration.seconds(1e12)
}
