package import JSON

/// The limits at which a recording ends by itself.
package struct RecordingLimits: Hashable, Sendable {
  /// The longest duration of the take; nil for no limit.
  package var duration: Duration?
  /// The most bytes of the file; nil for no limit.
  package var size: Int64?
  /// Bytes that must stay free on the file's filesystem.
  package var free: Int64

  /// Enough for the header, the marks and the sidecar to be written when the end comes.
  package static let leastFree: Int64 = 16 << 20

  /// No limit but the free space, unless one is given.
  package init(duration: Duration? = nil, size: Int64? = nil, free: Int64 = Self.leastFree) {
    self.duration = duration
    self.size = size
    self.free = free
  }
}

extension RecordingLimits: JSONConvertible {
  /// Reads what `json` wrote; nil without the bytes to leave free.
  package init?(json: JSONValue) {
    guard let free = json["free"]?.integer(in: 0...Int64.max) else { return nil }
    self.init(
      duration: json["duration"].flatMap(Duration.init(json:)),
      size: json["size"]?.integer(in: 0...Int64.max),
      free: free)
  }

  /// The object within a recording plan; a limit that is nil has no member.
  package var json: JSONValue {
    var members = JSONObject()
    members.set("duration", duration)
    members.set("size", size)
    members.set("free", free)
    return .object(members)
  }
}
