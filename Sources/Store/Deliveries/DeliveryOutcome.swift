package import Control
package import JSON
internal import Linux

/// The end of a file's wait for its delivery, a line of the journal `delivered.jsonl`.
package struct DeliveryOutcome: Hashable, Sendable {
  /// The ways in which a wait ends.
  package enum Kind: String, Hashable, Sendable {
    /// The program ended with 0.
    case delivered
    /// The file was not there any more; it is delivered if it comes back.
    case missing
    /// A person gave the delivery up.
    case forgotten
    /// Retention deleted the file for the space that the recording needed.
    case deleted
  }

  /// The way in which the wait ended.
  package let kind: Kind
  /// The file, as the list of takes has it.
  package let file: DeliveredFile
  /// The series that the file belongs to.
  package let series: String
  /// The moment since 1970.
  package let at: Duration
  /// The size and the SHA-256 of what was delivered; nil for any other outcome.
  package var content: Content?
  /// The number of attempts, the successful one included.
  package var attempts = 0

  /// The content of a file at the moment of its delivery.
  package struct Content: Hashable, Sendable {
    /// The size in bytes.
    package let bytes: Int64
    /// The SHA-256 in hexadecimal digits.
    package let digest: String
    /// True where the file was written to after its recording.
    package let isChanged: Bool

    /// A content by its size and its digest.
    package init(bytes: Int64, digest: String, isChanged: Bool) {
      self.bytes = bytes
      self.digest = digest
      self.isChanged = isChanged
    }
  }

  /// An outcome of now, for a file that waits for a delivery; nil for any other file.
  package init?(_ kind: Kind, _ result: RecordingResult) {
    guard let file = DeliveredFile(result), let series = result.delivery?.series else {
      return nil
    }
    self.kind = kind
    self.file = file
    self.series = series
    at = KernelClock.realTime.now
  }
}

/// The identity of a file that is delivered: a take has several, and may be recovered under another
/// path.
package struct DeliveredFile: Hashable, Sendable {
  let identifier: String
  let segment: Int
  let path: Path

  /// The identity of a result's file; nil where it has none.
  package init?(_ result: RecordingResult) {
    guard let path = result.path else { return nil }
    self.init(identifier: result.identifier, segment: result.segment ?? 1, path: path)
  }

  init(identifier: String, segment: Int, path: String) {
    self.identifier = identifier
    self.segment = segment
    self.path = Path(path)
  }
}

extension DeliveryOutcome: JSONConvertible {
  /// Reads a line of the journal; nil where a member is missing or wrong.
  package init?(json: JSONValue) {
    guard let kind = json["outcome"]?.string.flatMap(Kind.init(rawValue:)),
      let identifier = json["id"]?.string, let path = json["path"]?.string,
      let series = json["series"]?.string, let at = json["at"].flatMap(Duration.init(moment:))
    else { return nil }
    self.kind = kind
    self.series = series
    self.at = at
    file = DeliveredFile(
      identifier: identifier, segment: json["segment"]?.integer(in: .ordinals) ?? 1, path: path)
    attempts = json["attempts"]?.integer(in: .counts) ?? 0
    if let bytes = json["bytes"]?.integer(in: .sizes), let digest = json["sha256"]?.string {
      let isChanged = json["changed"]?.bool ?? false
      content = Content(bytes: bytes, digest: digest, isChanged: isChanged)
    }
  }

  /// The line of the journal.
  package var json: JSONValue {
    var members: JSONObject = ["outcome": kind.rawValue.json, "id": file.identifier.json]
    members.set("segment", file.segment)
    members.set("path", file.path.text)
    members.set("series", series)
    members["at"] = at.moment
    members.set("bytes", content?.bytes)
    members.set("sha256", content?.digest)
    if content?.isChanged == true { members.set("changed", true) }
    if attempts > 0 { members.set("attempts", attempts) }
    return .object(members)
  }
}
