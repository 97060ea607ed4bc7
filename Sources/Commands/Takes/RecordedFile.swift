internal import Linux
internal import Store

/// The path of a file that a recording writes, or of a file that was not saved because the
/// recording was interrupted.
package struct RecordedFile {
  private let path: String
  private let record: SessionRecord?
  private let isLive: Bool
  /// The index of `path` in the final paths of the recording, or nil if it is not a final path.
  private let index: Int?

  /// Finds the running recording that writes to `path`, or the interrupted one that wrote to it.
  package init(_ path: String) {
    self.path = path
    let whole = Path(Program.absolutePath(of: path))
    let store = (try? SessionPaths.current()).map { MachineStore($0) }
    let live = store?.sessions.records.first {
      $0.writes(whole) && store?.sessions.isLive($0) == true
    }
    isLive = live != nil
    record = live ?? store?.deadSessions.crashed.last { $0.writes(whole) }
    index = record?.paths.firstIndex { Path($0) == whole }
  }

  /// Whether a running or an interrupted recording writes to the path.
  package var isKnown: Bool { record != nil }

  /// Whether the path belongs to a part that is still being written.
  package var isPart: Bool { isLive && isHidden }

  /// Whether the path belongs to a part, not to the final file.
  private var isHidden: Bool { record != nil && index == nil }

  /// Throws if the file is being recorded, under its own name or the name of its part.
  package func refuseWhileRecording() throws {
    guard isLive, let record else { return }
    throw Failure(
      .alreadyRecording, "cannot read \(quoted(path)): it is being recorded",
      advice: [
        "\"\(stopCommand(record.name))\" ends it",
        "\"recorder split\(argument(of: record.name))\" saves the audio so far, and continues in a "
          + "new file",
      ])
  }

  /// Returns the reason why the file does not exist, or nil if no running or interrupted recording
  /// writes to it.
  ///
  /// - Parameters:
  ///   - command: a command that can read the part, for the advice.
  ///   - deed: the verb for that command in the message, such as `plays`.
  package func refusal(advising command: String, _ deed: String = "shows") -> Failure? {
    guard isLive else { return interruption }
    guard let record, let index, let last = record.parts.last else { return nil }
    let part = record.files(of: last)[index]
    return Failure(
      .alreadyRecording, "cannot read", on: path, why: "it is being recorded",
      advice: "\"recorder \(command) \(shellArgument(part))\" \(deed) the audio so far")
  }

  /// The failure for a file that was not saved because its recording was interrupted. It is nil for
  /// other files, and for a part that still exists.
  package var interruption: Failure? {
    guard !isLive, let record, !isHidden || !record.isLeft else { return nil }
    return Failure(interrupted: record, savingTo: path)
  }
}

extension RecordedFile {
  /// Returns a path for a file that the user did not name. If another file or a running recording
  /// uses the path, the next free number is added to the name.
  static func free(_ path: String) throws -> String {
    let store = try SessionClient().store
    let (stem, ending) = path.nameParts
    var candidate = path
    var number = 1
    while (try? FileStatus(of: candidate, following: false)) != nil
      || store.sessions.recording(at: candidate) != nil
    {
      number += 1
      candidate = stem + (number < 10 ? "-00" : number < 100 ? "-0" : "-") + "\(number)" + ending
    }
    return candidate
  }
}

extension Failure {
  /// Creates the failure for a file that does not exist because its recording was interrupted.
  init(interrupted record: SessionRecord, savingTo path: String) {
    self.init(
      .notFound,
      "\(quoted(path)) was not saved: the recording \(quoted(record.name)) was interrupted",
      advice: record.remedy)
  }
}
