internal import Linux
internal import Store

extension Failure {
  /// Creates the failure of a command that changes takes.
  ///
  /// - Parameter typed: the take as it was typed, or nil for undo and redo.
  init(changing typed: String?, _ error: any Error) {
    switch error {
    case let error as TakeChangeError: self.init(error.code, error.message(typed))
    case let error as SystemError: self.init("cannot write the list of changes", error)
    default: self.init(explaining: error)
    }
  }
}

extension TakeChangeError {
  fileprivate var code: ExitCode {
    switch self {
    case .unfiled, .missing, .notRegular, .elsewhere, .nothing, .final, .gone, .exchanged, .foreign:
      .notFound
    case .taken, .recorded, .noDirectory, .noTrash, .unmoved: .outputRefused
    case .partly: .incomplete
    case .tooMany: .usage
    case .busy: .failed
    }
  }

  fileprivate func message(_ typed: String?) -> Message {
    switch self {
    case .unfiled: Message("\(quoted(typed ?? "the take")) has no file")
    case .missing(let path):
      Message(
        "\(quoted(path)) no longer exists",
        advice: "nothing was changed; \"recorder takes\" lists the takes")
    case .tooMany(let count, let most):
      Message(
        "cannot move \(count) files with one command: \"recorder undo\" could not undo that",
        advice: "nothing was changed; name fewer takes: at most \(most) files, sidecars included")
    case .nothing(let action): Message("there is nothing to \(action.rawValue)")
    case .final(let last, let former): former.message(after: last)
    case .gone(let path, let action): unmoved(path, "the file is missing", Self.advice(on: action))
    case .busy: Message("another command is changing takes", advice: "try again")
    case .taken(let path):
      Message(
        "cannot move a file to", on: path, why: "a file has that name",
        advice: typed == nil
          ? "move that file away, and try again" : "choose another name, or move that file away")
    case .recorded(let path, let name):
      Message(
        "cannot move a file to", on: path, why: "the recording \(quoted(name)) will be saved there",
        advice: typed == nil
          ? "stop that recording with \"\(stopCommand(name))\", move its file away, and try again"
          : "choose another name")
    case .noDirectory(let path):
      Message(
        "cannot move a file to", on: path, why: "that directory no longer exists",
        advice: "create it with \"mkdir -p \(shellArgument(path))\"")
    case .notRegular(let path): unmoved(path, "it is not a regular file")
    case .elsewhere(let path):
      unmoved(path, "another machine recorded it", "run the command there")
    case .noTrash(let path, let error):
      unmoved(
        path, "the trash of its disk cannot be used: \(error.errno)",
        isFull(error)
          ? "nothing was changed; make room on that disk, or delete the file with \"rm\""
          : "nothing was changed; to delete the file instead, use \"rm\"")
    case .unmoved(let path, let error): unmoved(path, "\(error.errno)", advice(after: error))
    case .partly(let path, let error, let action):
      unmoved(
        path, "\(error.errno)",
        "the files before it were moved; \"recorder undo\" "
          + (action == .undo ? "tries the others again" : "undoes that"))
    case .exchanged(let path):
      unmoved(path, "another file has its name", "move that file away, and try again")
    case .foreign(let path, let take, let action):
      unmoved(
        path, "another program has replaced that file since the recording",
        "nothing was changed; if you mean the new file, type: recorder \(action.rawValue) "
          + shellArgument(take) + (action == .rename ? " NAME" : ""))
    }
  }

  /// Returns the advice for a change that cannot be undone or redone any more.
  private static func advice(on action: TakeChange.Action) -> String {
    let (past, place) = action == .undo ? ("undone", "before") : ("redone", "after")
    return "this change cannot be \(past) any more; "
      + "type \"recorder \(action.rawValue)\" again for the change \(place) it"
  }

  /// Returns the advice after an error that stopped a change before its first move.
  private func advice(after error: SystemError) -> String {
    if isFull(error) { return "nothing was changed; make room on that disk" }
    let access = error.errno == .accessDenied ? "; you need write access to its directory" : ""
    return "nothing was changed" + access
  }

  private func isFull(_ error: SystemError) -> Bool {
    [.noSpace, .quota].contains(error.errno)
  }

  private func unmoved(_ path: String, _ why: String, _ advice: String? = nil) -> Message {
    Message("cannot move", on: path, why: why, advice: advice)
  }
}
