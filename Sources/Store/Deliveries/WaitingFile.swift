package import Control
package import JSON
package import Linux

/// A recorded file that waits for its delivery, as stored in an entry of the spool.
package struct WaitingFile: Hashable, Sendable {
  /// The result of the file without its gaps, which no delivery needs.
  package internal(set) var result: RecordingResult {
    didSet { result.gaps = [] }
  }
  /// Whether the file was missing at its delivery. It is delivered once it exists again.
  package internal(set) var isMissing = false
  /// Whether the file has its final name and is in the catalogue. The announcement of the file may
  /// still exist, because the announcement contains the facts for a sidecar that is not written
  /// yet.
  var isListed = false
  /// The name of the file's entry in the spool.
  var entry = ""
  /// The identity of the file when it was announced.
  let trace: FileTrace

  init(_ result: RecordingResult, _ trace: FileTrace) {
    self.result = result
    self.result.gaps = []
    self.trace = trace
  }

  /// Returns true if `status` shows that the recorded file has not changed since it was announced.
  package func isUntouched(_ status: FileStatus) -> Bool { FileTrace(status) == trace }

  /// Returns true if `take` describes this file.
  package func isFile(of take: ListedTake) -> Bool { take.row.key == TakeKey(result) }
}

extension WaitingFile: JSONConvertible {
  /// Reads the output of `json`. Returns nil if a member is missing, or if the result has no path
  /// or no delivery.
  package init?(json: JSONValue) {
    guard let result = json["result"].flatMap(RecordingResult.init(json:)), result.path != nil,
      result.delivery != nil, let trace = json["file"].flatMap(FileTrace.init(json:)),
      let isMissing = json["missing"]?.bool
    else { return nil }
    self.init(result, trace)
    self.isMissing = isMissing
    isListed = json["listed"]?.bool ?? false
  }

  /// The content of the spool entry.
  package var json: JSONValue {
    var members: JSONObject = ["result": result.json, "file": trace.json]
    members.set("missing", isMissing)
    members.set("listed", isListed)
    return .object(members)
  }
}

/// The identity of a saved file: its take, its number in the take and the path at which it was
/// saved.
///
/// The path alone is not enough: if the file was renamed, a later take may have the path.
package struct SavedFileKey: Hashable, Sendable {
  private let take: TakeKey
  private let path: Path?

  /// Creates the identity of the file of a result.
  package init(_ result: RecordingResult) {
    take = TakeKey(result)
    path = result.path.map(Path.init)
  }
}

extension TakeKey {
  init(_ result: RecordingResult) {
    self.init(identifier: result.identifier, segment: result.segment ?? 1)
  }

  /// The ending of two names: the name of the announcement, and the name of the spool entry.
  var nameEnding: String { ".\(identifier).\(segment).json" }
}
