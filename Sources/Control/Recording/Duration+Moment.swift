internal import JSON
internal import Linux

/// A time since 1970 as JSON has it: in the form of RFC 3339.
extension Duration {
  init?(moment json: JSONValue) {
    guard let time = json.string.flatMap({ WallTime(rfc3339: $0) }) else { return nil }
    self = time.sinceEpoch
  }

  /// The instant so long after 1970.
  var moment: JSONValue { .string(WallTime(sinceEpoch: self).rfc3339) }
}
