internal import Linux

/// The directories that a take needs and that are not there: they are made, and that is said, because
/// a path that was mistyped makes some too.
package struct MissingDirectory: Sendable {
  /// The outermost of them.
  let path: String

  /// Looks for one above a file; nil where all are there.
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

  /// Says that it was made, once it was.
  package func tell(_ console: Console) {
    guard (try? FileStatus(of: path)) != nil else { return }
    console.note(Message("made the directory \(quoted(path))"))
  }
}
