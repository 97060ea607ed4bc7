internal import Linux

/// The missing directories of a take's path. They are created, and the user is told, because a
/// mistyped path creates some too.
package struct MissingDirectory: Sendable {
  /// The outermost missing directory.
  let path: String

  /// Finds the missing directories above a file; nil if all exist.
  package init?(above file: String?) {
    var missing: String?
    var place = Substring(file ?? "").utf8
    while let end = place.lastIndex(of: UInt8(ascii: "/")) {
      place = place[..<end]
      let directory = String(Substring(place))
      let isThere = (try? FileStatus(of: directory.isEmpty ? "/" : directory)) != nil
      if isThere { break }
      missing = directory
    }
    guard let missing else { return nil }
    path = missing
  }

  /// Writes a note once the directory exists.
  package func tell(_ console: Console) {
    guard (try? FileStatus(of: path)) != nil else { return }
    console.note(Message("made the directory \(quoted(path))"))
  }
}
