internal import Audio
internal import Control
internal import Linux
internal import Store

/// The commands that rename takes, move them to the trash, and undo and redo such changes.
enum TakeChangeCommands {
  private static let takes = Operand<FileOrTake>(
    .many, named: "TAKE", summary: "Take, or the path of its file")
  private static let take = Operand<FileOrTake>(
    .one, named: "TAKE", summary: "Take, or the path of its file")
  private static let older = Flag(
    "older",
    summary: "Undo the last change even if a file was deleted or a command failed after it")
  private static let name = Operand<NewName>(
    .optional, summary: "New name, with or without the extension")
  private static let title = Option<AnyText>(
    "title", summary: "New title of the take; '' removes the title")

  static var rows: [CommandRow] {
    [
      CommandRow(["rename"], describeRename) { arguments, console in
        try noting { try rename(arguments, console) }
      },
      CommandRow(["trash"], describeTrash) { arguments, console in
        try noting { try trash(arguments[takes], console) }
      },
      revision(["undo"], describeUndo) { try $0.undo(older: $1[older]) },
      revision(["redo"], describeRedo) { changes, _ in try changes.redo() },
    ]
  }

  /// Runs `body`, and records its failure. Then a later `undo` does not undo the change before the
  /// failed command.
  private static func noting<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      let failure = error as? Failure
      // An incomplete change needs no note, because it can be undone. If another command holds the
      // lock of changes, a note would have to wait for the lock too.
      let isBusy = failure == Failure(changing: nil, TakeChangeError.busy)
      let isMisused = error is UsageError || failure?.code == .usage
      let isIncomplete = failure?.code == .incomplete
      if !isBusy, !isMisused, !isIncomplete, let store = try? SessionClient().store {
        let typed = ["recorder"] + (Program.arguments ?? [])
        store.catalogue.note(.fail, of: typed.map(shellArgument).joined(separator: " "))
      }
      throw error
    }
  }

  /// Returns the row of `undo` or `redo`.
  private static func revision(
    _ words: [String], _ describe: @escaping @Sendable ([String]) -> Command,
    _ revise: @escaping @Sendable (TakeChanges, Arguments) throws -> (TakeChange, TakeChange)
  ) -> CommandRow {
    CommandRow(words, describe) { arguments, console in
      _ = try SessionClient().store.catalogue.listedTakes(TakeLookup.search(console))
      let (earlier, change) = try change { try revise($0, arguments) }
      return ChangeReport(change, of: earlier)
    }
  }

  private static func rename(_ arguments: Arguments, _ console: Console) throws -> any Report {
    guard let file = arguments[take].first else { return SilentReport(exitCode: .usage) }
    let name = arguments[name].first?.text
    let title = try arguments[title].map { title in
      title.value.utf8.isEmpty ? "" : try MarkText.checked(title.value, of: "--title")
    }
    guard name != nil || title != nil else {
      throw UsageError.missingOperand("NAME", command: "rename")
    }
    let take = try movable(file, console)
    if let name { try refuseConversion(of: take, file, to: name) }
    let change = try change(of: file) { try $0.rename(take, to: name, title: title) }
    return ChangeReport(
      change, unchanged: title.map { $0.utf8.isEmpty ? "has no title" : "already has that title" })
  }

  /// The highest number of takes that are looked up one by one in the index.
  private static let fewTakes = 8

  private static func trash(_ files: [FileOrTake], _ console: Console) throws -> any Report {
    var (takes, seen): ([ListedTake], Set<TakeRow>) = ([], [])
    // Many takes are looked up in a single read of the list.
    let list =
      try files.count > fewTakes
      ? SessionClient().store.catalogue.finder(TakeLookup.search(console)) : nil
    for file in files {
      let path = file.reference == nil ? Program.absolutePath(of: file.text) : ""
      let found = list?.take(file.reference, at: path)
      let take =
        if let found { found } else {
          try explaining("nothing was moved to the trash") { try movable(file, console) }
        }
      if seen.insert(take.row).inserted { takes.append(take) }
    }
    let change = try change(of: files.first) { try $0.trash(takes) }
    let waiting = ((try? SessionClient().store.deliveries()) ?? []).flatMap(\.files)
    for file in waiting {
      guard let take = takes.first(where: file.isFile) else { continue }
      console.warn(
        "\(quoted(take.path ?? "")) was not delivered yet",
        advice: "its delivery waits until \"recorder undo\" restores it")
    }
    return ChangeReport(change)
  }

  /// Moves the file of a cancelled take to the trash. Does nothing if another command has done it.
  static func discard(
    _ result: RecordingResult, in store: MachineStore, _ console: Console
  ) throws {
    guard let path = result.path else { return }
    let file = try FileOrTake(argument: path)
    try explaining("the recording has ended, and its file was saved") {
      try noting {
        do {
          _ = try trash([file], console)
        } catch {
          guard store.isTrashed(result) else { throw error }
        }
      }
    }
  }

  /// Throws if the new name has the extension of another format, because a new name does not
  /// convert the file.
  private static func refuseConversion(
    of take: ListedTake, _ typed: FileOrTake, to name: String
  ) throws {
    let own = take.path?.suffix ?? ""
    guard name.hasSoundEnding, name.suffix.lowercased() != own.lowercased() else { return }
    var lines = TakeLines(of: try SessionClient().store)
    if let format = lines.result(of: take)?.format, FileFormat(suffix: name.suffix) == format {
      return
    }
    throw Failure(
      .usage,
      "another extension would not convert the take; to convert it, type: "
        + "recorder export \(shellArgument(typed.text)) \(shellArgument(name))")
  }

  /// Returns the take that was named. Throws the reason if a reference names a take whose file was
  /// trashed or replaced.
  private static func movable(_ file: FileOrTake, _ console: Console) throws -> ListedTake {
    let take = try TakeLookup.takeToChange(file, console)
    if take.state == .trashed || take.state == .replaced, let reference = file.reference {
      _ = try TakeLookup.path(of: reference, Console())
    }
    return take
  }

  /// Adds a further fact to the failures of `body`, before their advice.
  private static func explaining<Value>(
    _ fact: String, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let failure as Failure {
      let message = failure.message
      throw Failure(
        failure.code,
        Message(message.fact, advice: [fact] + message.advice, command: message.command))
    }
  }

  /// Runs a change, and turns its errors into failures.
  private static func change<Value>(
    of file: FileOrTake? = nil, _ body: (TakeChanges) throws -> Value
  ) throws -> Value {
    let store = try SessionClient().store
    do {
      return try body(TakeChanges(store))
    } catch {
      throw Failure(changing: file?.text, error)
    }
  }
}

extension MachineStore {
  /// Returns whether the file of a result is in the trash.
  fileprivate func isTrashed(_ result: RecordingResult) -> Bool {
    catalogue.listedTakes.last { take in
      take.identifier == result.identifier && take.segment == result.segment
    }?.state == .trashed
  }
}

// MARK: - Descriptions

extension TakeChangeCommands {
  private static func describeRename(_ words: [String]) -> Command {
    Command(
      words, section: .recording, summary: "Rename a take, or change its title",
      details: [
        "The file stays in its directory and keeps its extension; its sidecar is renamed too. A name "
          + "that is taken is refused. \"recorder undo\" restores the old name and the old title.",
        "\"recorder takes\", info, show and export use the new title. The file itself is not changed: "
          + "it keeps the title that it was recorded with, which other programs show.",
        "On a terminal, \"recorder rename\" without TAKE and NAME opens a list of takes to pick from, and "
          + "asks for the name.",
      ],
      operands: [take, name],
      options: [OptionGroup("Options", [title])],
      examples: [
        Example("recorder rename @1 interview", "Rename the newest take"),
        Example("recorder rename talk.wav opening", "Rename talk.wav to opening.wav"),
        Example("recorder rename @1 --title Interview", "Change its title"),
        Example("recorder rename @1 --title ''", "Remove its title"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .incomplete])
  }

  private static func describeTrash(_ words: [String]) -> Command {
    Command(
      words, section: .recording, summary: "Move takes to the trash",
      details: [
        "Uses the trash of the desktop, so file managers can show and restore the files. A file "
          + "is never copied: it goes to the trash of its own disk. Its sidecar "
          + "goes with it. Older takes get smaller numbers: after \"recorder trash @1\", @2 becomes "
          + "@1. \"recorder undo\" restores the files and their numbers.",
        "A name such as @talk means the newest take of the recording \"talk\". If a take of another recording "
          + "has a file of that name, the command refuses the name and lists the numbers of these takes.",
        "On a terminal, \"recorder trash\" without TAKE opens a list of takes to pick from.",
      ],
      operands: [takes],
      examples: [
        Example("recorder trash @1", "Throw away the newest take"),
        Example("recorder trash @2 @5", "Throw away two takes"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .incomplete])
  }

  private static func describeUndo(_ words: [String]) -> Command {
    Command(
      words, section: .recording, summary: "Undo the last trash or rename",
      details: [
        "Also restores a file that \"recorder start --force\" replaced. Repeat it to undo earlier "
          + "changes; at least the last 100 are kept. Nothing is replaced: if another file has taken "
          + "the name, the restored one is called talk-restored.wav. A change whose files no longer "
          + "exist, as after the trash was emptied, is reported once and then skipped.",
        "Nothing is undone if a file was deleted after the last change (by \"recorder cancel --delete\" or "
          + "--keep, or by --force if the trash could not be used), or if a later trash, rename or cancel "
          + "failed. The message then names the file or the command. Type \"recorder undo --older\" to "
          + "undo that last change anyway.",
      ],
      options: [OptionGroup("Options", [older])],
      examples: [Example("recorder undo", "Undo the last trash or rename")],
      ends: [.notFound, .outputRefused, .incomplete])
  }

  private static func describeRedo(_ words: [String]) -> Command {
    Command(
      words, section: .recording, summary: "Redo the change that was undone last",
      details: ["After a new trash or rename, nothing can be redone."],
      examples: [Example("recorder redo", "Redo the change that was undone last")],
      ends: [.notFound, .outputRefused, .incomplete])
  }
}

extension TakeChange {
  /// The past participle for the change.
  var deed: String {
    if action == .trash { return "moved to the trash" }
    return moves.allSatisfy(\.keepsPath) ? "given a new title" : "renamed"
  }

  /// The time since the change.
  var age: String {
    at.map { " \(roughly(KernelClock.realTime.now - $0)) ago" } ?? ""
  }

  /// Returns the message that this change is not undone because of the later change `last`.
  func message(after last: TakeChange) -> Message {
    let (subject, path) = (last.subject ?? "", quoted(moves.first?.from ?? ""))
    let advice = "\(path) was \(deed)\(age); to undo that, type \"recorder undo --older\""
    if last.action == .fail {
      return Message("\(quoted(subject)) failed\(last.age) and changed nothing", advice: advice)
    }
    let cause =
      switch last.action {
      case .cancel: "\"recorder cancel --delete\" deleted it"
      case .replace: "--force replaced it"
      default: "--keep deleted it"
      }
    return Message("cannot restore", on: subject, why: cause + last.age, advice: advice)
  }
}
