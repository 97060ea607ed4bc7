internal import CommandLine
internal import Control
internal import Linux
internal import Store

/// A path that a live recording may be writing to.
struct RecordedFile {
  private let path: String
  private let record: SessionRecord?

  init(_ path: String) {
    self.path = path
    let whole = Program.absolutePath(of: path)
    let store = (try? SessionPaths.current()).map(SessionStore.init)
    record = store?.records.first { record in
      guard record.path == whole || record.parts.contains(whole) else { return false }
      return SessionName(record.name).map { store?.isLive($0) ?? false } ?? false
    }
  }

  /// True for a file that is still being written.
  var isPart: Bool { record.map { $0.path != Program.absolutePath(of: path) } ?? false }

  /// The reason why the file does not exist yet; nil if no recording writes to it.
  var refusal: Failure? {
    guard let part = record?.part, !isPart else { return nil }
    return Failure(
      .notFound,
      Message(
        "cannot read", on: path, why: "it is being recorded",
        advice: "\"recorder info \(printable(part))\" shows what it holds so far"))
  }
}
