internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store
internal import Takes

/// The command `cancel`, which throws a running recording away.
extension RecordingCommands {
  static func describeCancel(_ words: [String]) -> Command {
    page(
      words, "Stop a recording and throw it away",
      "The file goes to the trash, and \"recorder undo\" restores it; --delete deletes it instead. "
        + "Only the file that is being written is thrown away: finished files of a split "
        + "recording stay. The programs of --on-segment and --on-stop do not run.",
      options: [OptionGroup("Options", [delete])],
      examples: [
        Example("recorder cancel", "Throw the recording away"),
        Example("recorder cancel --delete", "Delete its file instead"),
      ],
      ends: results)
  }

  private static let delete = Flag(
    "delete", summary: "Delete the file instead of moving it to the trash")

  static func cancel(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let client = try SessionClient()
    let name = try name(arguments, client)
    let members: JSONObject = ["delete": .bool(arguments[delete])]
    let path = client.store.sessions.records.first { $0.name.isSameName(as: name.text) }?.path
    guard let answer = try client.ask(name, .cancel, members, waitingUpTo: nil),
      let result = RecordingResult(json: .object(answer))
    else { throw client.absent(name) }
    client.store.sessions.consume(result, of: name)
    client.store.sessions.awaitProcess(of: name)
    // If the recording was already ending, its file is saved. If a file could not be renamed or
    // deleted, the report says why.
    guard result.reason.isCancelled, !result.isHidden else { return RecordingReport(result) }
    if result.reason == .cancelled, result.frames.onDisk > 0, let path {
      client.store.catalogue.note(.cancel, of: path)
    }
    if result.reason == .discarded {
      try TakeChangeCommands.discard(result, in: client.store, console)
    }
    return CancelledReport(
      result: result, path: result.path ?? path,
      kept: result.total == nil ? [] : client.store.finishedFiles(besides: result))
  }
}

extension MachineStore {
  /// Returns the current paths of the files of a split take, without the last file.
  fileprivate func finishedFiles(besides last: RecordingResult) -> [String] {
    catalogue.listedTakes.filter { take in
      take.identifier == last.identifier && take.exists && take.segment != last.segment
    }.compactMap(\.path)
  }
}

/// The report of a recording that was cancelled.
private struct CancelledReport: Report {
  let result: RecordingResult
  /// The file that was discarded, or nil for a recording to stdout.
  let path: String?
  /// The finished files of a split take, which are kept.
  let kept: [String]

  func text(_ style: Style) -> String {
    let file = path.map { " " + pathText($0) } ?? ""
    let fate =
      result.path == nil
      ? "nothing was kept."
      : "the file is in the trash. To restore it: recorder undo"
    let head = "Cancelled\(file) after \(clock(result.duration)); \(fate)\n"
    guard !kept.isEmpty else { return head }
    let stay = kept.count == 1 ? "The finished file stays" : "The finished files stay"
    return head + "\(stay): \(kept.map(pathText).joined(separator: ", "))\n"
  }

  var json: JSONObject {
    var json = result.json.object ?? [:]
    json["exit"] = exitCode.rawValue.json
    return json
  }
}
