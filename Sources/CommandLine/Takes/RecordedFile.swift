internal import Linux
internal import Store

/// A path that a recording writes to, or was going to be saved at before it was interrupted.
package struct RecordedFile {
  private let path: String
  private let record: SessionRecord?
  private let isLive: Bool

  /// Looks for the recording that writes to a path, or for an interrupted one that did.
  package init(_ path: String) {
    self.path = path
    let whole = Path(Program.absolutePath(of: path))
    let store = (try? SessionPaths.current()).map(SessionStore.init)
    let live = store?.records.first { $0.isAbout(whole) && store?.isLive($0) == true }
    isLive = live != nil
    record = live ?? store?.crashed.last { $0.isAbout(whole) }
  }

  /// True for a file that is still being written.
  package var isPart: Bool { isLive && isHidden }

  /// Whether the path is that of the part, and not that of the file which it becomes.
  private var isHidden: Bool {
    record.map { $0.path.map(Path.init) != Path(Program.absolutePath(of: path)) } ?? false
  }

  /// Throws for a file that is being recorded, under its own name or that of its part.
  package func refuseWhileRecording() throws(Failure) {
    guard isLive, let record else { return }
    throw Failure(
      .alreadyRecording,
      Message(
        "cannot export \(quoted(path)): it is being recorded",
        advice: "\"\(stopCommand(record.name))\" ends it first"))
  }

  /// The reason why the file does not exist; nil if no recording wrote to it.
  ///
  /// - Parameters:
  ///   - command: the command that also takes the part of the file.
  ///   - deed: what it does with it.
  package func refusal(advising command: String, _ deed: String = "shows") -> Failure? {
    guard isLive else { return interruption }
    guard let part = record?.part, !isHidden else { return nil }
    return Failure(
      .alreadyRecording,
      Message(
        "cannot read", on: path, why: "it is being recorded",
        advice: "\"recorder \(command) \(shellArgument(part))\" \(deed) what it holds so far"))
  }

  /// The failure for a file that was not saved, because its recording was interrupted; nil for any
  /// other, and for a part that exists.
  package var interruption: Failure? {
    guard !isLive, let record, !isHidden || !record.isLeft else { return nil }
    return Failure(interrupted: record, savingTo: path)
  }
}

extension RecordedFile {
  /// The path of a file that the user did not name; with the next free number if another file or a
  /// running recording has it.
  static func free(_ path: String) throws(Failure) -> String {
    let store = try SessionClient().store
    let (stem, ending) = path.nameParts
    var candidate = path
    var number = 1
    while (try? FileStatus(of: candidate, following: false)) != nil
      || store.recording(at: candidate) != nil
    {
      number += 1
      candidate = stem + (number < 10 ? "-00" : number < 100 ? "-0" : "-") + "\(number)" + ending
    }
    return candidate
  }
}

extension SessionRecord {
  /// Whether the recording writes a file at a path, under its own name or that of a part.
  fileprivate func isAbout(_ file: Path) -> Bool {
    ([path].compactMap(\.self) + parts.map(\.path)).map(Path.init).contains(file)
  }
}

extension Failure {
  /// The failure for a file that does not exist, because its recording was interrupted.
  init(interrupted record: SessionRecord, savingTo path: String) {
    self.init(
      .notFound,
      Message(
        "\(quoted(path)) was not saved: the recording \(quoted(record.name)) was interrupted",
        advice: record.remedy))
  }
}
