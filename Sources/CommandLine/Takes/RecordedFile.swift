internal import Linux
internal import Store

/// A path that a live recording may be writing to.
package struct RecordedFile {
  private let path: String
  private let record: SessionRecord?

  /// Looks for the recording that writes to a path.
  package init(_ path: String) {
    self.path = path
    let whole = Path(Program.absolutePath(of: path))
    let store = (try? SessionPaths.current()).map(SessionStore.init)
    record = store?.records.first { record in
      ([record.path].compactMap(\.self) + record.left).map(Path.init).contains(whole)
        && store?.isLive(record) == true
    }
  }

  /// True for a file that is still being written.
  package var isPart: Bool {
    record.map { $0.path.map(Path.init) != Path(Program.absolutePath(of: path)) } ?? false
  }

  /// Throws for a file that is being recorded, under its own name or that of its part.
  package func refuseWhileRecording() throws(Failure) {
    guard let record else { return }
    throw Failure(
      .alreadyRecording,
      Message(
        "cannot export \(quoted(path)): it is being recorded",
        advice: "\"recorder stop \(printable(record.name))\" ends it first"))
  }

  /// The reason why the file does not exist yet; nil if no recording writes to it.
  ///
  /// - Parameters:
  ///   - command: the command that also takes the part of the file.
  ///   - deed: what it does with it.
  package func refusal(advising command: String, _ deed: String = "shows") -> Failure? {
    guard let part = record?.part, !isPart else { return nil }
    return Failure(
      .notFound,
      Message(
        "cannot read", on: path, why: "it is being recorded",
        advice: "\"recorder \(command) \(printable(part))\" \(deed) what it holds so far"))
  }
}
