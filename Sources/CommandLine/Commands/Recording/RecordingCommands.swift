internal import Control
internal import JSON
internal import Store

/// The commands that make and manage recordings.
enum RecordingCommands {
  static var all: [any Carrier.Type] {
    [
      StartCommand.self, PauseCommand.self, ResumeCommand.self, ToggleCommand.self,
      MarkCommand.self, SplitCommand.self, TriggerCommand.self, StopCommand.self, WaitCommand.self,
      CancelCommand.self,
      StatusCommand.self, TakesCommand.self,
    ]
  }
}

/// The command `pause`, which pauses a recording.
enum PauseCommand: Carrier {
  static var words: [String] { ["pause"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Pause a recording",
      details: ["The file goes on where it stopped; a marker tells of it. Again changes nothing."],
      operands: [RecordingName.operand],
      examples: [Example("recorder pause", "Pause the recording")],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "pause")
    return StatusReport(recordings: [status], isSingle: true)
  }
}

/// The command `resume`, which resumes a paused recording.
enum ResumeCommand: Carrier {
  static var words: [String] { ["resume"] }

  /// The exit codes with which the permission can keep a recording from resuming.
  static let permissionEnds: [ExitCode] = [
    .permissionNotDetermined, .permissionDenied, .permissionRestricted, .permissionUnusable,
  ]

  static var command: Command {
    Command(
      words, section: .recording, summary: "Resume a paused recording",
      details: ["Needs the permission still, and never asks for it. Again changes nothing."],
      operands: [RecordingName.operand],
      examples: [Example("recorder resume", "Go on")],
      ends: [.notFound] + permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "resume")
    return StatusReport(recordings: [status], isSingle: true)
  }
}

/// The command `toggle`, which pauses or resumes a recording.
enum ToggleCommand: Carrier {
  static var words: [String] { ["toggle"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Pause or resume a recording",
      details: ["For a key or a button."],
      operands: [RecordingName.operand],
      examples: [Example("recorder toggle", "Pause or resume")],
      ends: [.notFound] + ResumeCommand.permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "toggle")
    return StatusReport(recordings: [status], isSingle: true)
  }
}

/// The command `trigger`, which starts a take that is armed.
enum TriggerCommand: Carrier {
  static var words: [String] { ["trigger"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Start the take of an armed recording",
      details: [
        "What \"recorder start --armed\" heard last, as long as its --pre-roll, is the take's "
          + "beginning. Where the take has begun already nothing changes."
      ],
      operands: [RecordingName.operand],
      examples: [
        Example("recorder trigger", "Keep what was just heard, and what comes")
      ],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "trigger")
    return StatusReport(recordings: [status], isSingle: true)
  }
}

/// The command `split`, which continues the recording in a new file.
enum SplitCommand: Carrier {
  static var words: [String] { ["split"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Continue the recording in a new file",
      details: [
        "No frame is lost or repeated: the files one after the other are the take. After a.wav comes "
          + "a-002.wav, or the name that the time gives; a name that is in use is passed over. The file "
          + "before is complete a moment later."
      ],
      operands: [RecordingName.operand],
      examples: [
        Example("recorder split", "Begin the next file"),
        Example("recorder split log", "The same for the recording that is called log"),
      ],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let status = try link.status(
      of: RecordingName.given(arguments, link), after: "split")
    return StatusReport(recordings: [status], isSingle: true)
  }
}

/// The command `mark`, which sets a mark at the current frame.
enum MarkCommand: Carrier {
  static var words: [String] { ["mark"] }

  static let text = Operand<Text>(.optional, summary: "What happened; one line")
  static let name = Option<SessionName>(
    "name", short: "n", summary: Meant.summary("recording", usual: SessionName.usual.text))

  static var command: Command {
    Command(
      words, section: .recording, summary: "Mark this moment in a recording",
      details: ["A WAV file carries its markers itself; other files have them in FILE.json."],
      operands: [text],
      options: [OptionGroup("Options", [name])],
      examples: [Example("recorder mark applause", "Mark this moment")],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let text = try MarkText.checked(arguments[text].first?.value ?? "")
    let link = try SessionLink()
    let recording = try link.meant(by: arguments[name])
    let answer = try link.obey(recording, "mark", ["text": .string(text)])
    return MarkReport(recording: recording.text, answer: answer)
  }
}

/// The report of a mark.
struct MarkReport: Report {
  let recording: String
  /// The status of the recording, with the mark in it.
  let answer: JSONObject

  func text(_ style: Style) -> String {
    let mark = answer["mark"]
    let time = mark?["time"].flatMap(Duration.init(json:)).map { " at \(clock($0))" } ?? ""
    let text = mark?["text"]?.string ?? ""
    if time.isEmpty {
      return "\(recording) is waiting to record; the mark is placed where the take begins\n"
    }
    return "Marked \(recording)\(time)\(text.isEmpty ? "" : ": " + printable(text))\n"
  }

  var json: JSONObject { answer }
}

/// The command `stop`, which ends a recording and saves it.
enum StopCommand: Carrier {
  static var words: [String] { ["stop"] }

  static let all = Flag("all", short: "a", summary: "Every recording of this user")

  static var command: Command {
    Command(
      words, section: .recording, summary: "Stop a recording and save it",
      details: [
        "Returns when the file is complete and on the disk. A recording that has ended by itself is "
          + "told once, by the first stop or wait, with its exit code."
      ],
      operands: [RecordingName.operand],
      options: [OptionGroup("Options", [all])],
      examples: [
        Example("recorder stop", "End the recording"),
        Example("recorder stop log", "End the recording that is called log"),
        Example("recorder stop --all", "End all"),
      ],
      ends: [.notFound, .incomplete, .nothingCaptured, .outputRefused] + WaitCommand.permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    guard arguments[all] else {
      let result = try link.result(
        of: RecordingName.given(arguments, link, all: true), asking: "stop")
      return RecordingReport(result)
    }
    guard arguments[RecordingName.operand].isEmpty else {
      throw Failure(.usage, Message("give a name or --all, not both"))
    }
    return try stopAll(link, console)
  }

  private static func stopAll(_ link: SessionLink, _ console: Console) throws(Failure) -> any Report
  {
    let names = link.store.records.compactMap { SessionName($0.name) }.filter(link.store.isLive)
    guard !names.isEmpty else {
      throw Failure(.notFound, Message("nothing is being recorded"))
    }
    var results: [RecordingResult] = []
    var failure: ExitCode?
    for name in names {
      do throws(Failure) {
        results.append(try link.result(of: name, asking: "stop"))
      } catch {
        failure = failure ?? error.code
        console.complain(error.message)
      }
    }
    return RecordingReport(results, isList: true, failure: failure)
  }
}

/// The command `wait`, which waits for the end of a recording.
enum WaitCommand: Carrier {
  static var words: [String] { ["wait"] }

  /// The exit codes with which the permission can end a recording.
  static let permissionEnds: [ExitCode] = [.revokedWhileRecording, .expiredWhileRecording]

  static var command: Command {
    Command(
      words, section: .recording, summary: "Wait until a recording has ended",
      details: ["Prints what became of it and exits as its \"recorder stop\" would."],
      operands: [RecordingName.operand],
      examples: [Example("recorder wait", "Wait for the recording")],
      ends: [.notFound, .incomplete, .nothingCaptured, .outputRefused] + permissionEnds)
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    return RecordingReport(
      try link.result(of: RecordingName.given(arguments, link), asking: "wait"))
  }
}

/// The command `cancel`, which ends a recording and deletes it.
enum CancelCommand: Carrier {
  static var words: [String] { ["cancel"] }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Stop a recording and discard it",
      details: [
        "Only the file that is being written is removed; finished files of a split recording stay."
      ],
      operands: [RecordingName.operand],
      examples: [Example("recorder cancel", "Throw the recording away")],
      ends: [.notFound])
  }

  static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let link = try SessionLink()
    let name = try RecordingName.given(arguments, link)
    guard let answer = try link.ask(name, "cancel", waitingUpTo: nil),
      let result = RecordingResult(json: .object(answer))
    else { throw link.absent(name) }
    link.store.consume(result, of: name)
    link.awaitProcess(of: name)
    // The recording was ending already, and its file is saved.
    return result.reason == .cancelled ? CancelledReport(result: result) : RecordingReport(result)
  }
}

/// The report of a recording that was deleted.
struct CancelledReport: Report {
  let result: RecordingResult

  func text(_ style: Style) -> String {
    let length = clock(result.duration)
    guard let total = result.total, total.files > 1 else {
      return "Cancelled after \(length); nothing was kept.\n"
    }
    let kept = total.files == 2 ? "the finished file stays" : "the finished files stay"
    return "Cancelled the file that was being written, after \(length); \(kept).\n"
  }

  var json: JSONObject { result.json.object ?? [:] }
}

/// The operand that names a command's recording.
enum RecordingName {
  static let operand = Operand<SessionName>(
    .optional, summary: Meant.summary("recording", usual: SessionName.usual.text))

  /// The recording that was named, or the default one for no name.
  static func given(
    _ arguments: Arguments, _ link: SessionLink, all: Bool = false
  ) throws(Failure) -> SessionName {
    try link.meant(by: arguments[operand].first, all: all)
  }
}

extension SessionLink {
  /// The recording of that name. Without a name it is the usual one if that runs or has an unread
  /// result, else the only one that runs.
  func meant(by name: SessionName?, all: Bool = false) throws(Failure) -> SessionName {
    if let name { return name }
    if store.isLive(.usual) || store.result(of: .usual) != nil { return .usual }
    let live = store.records.compactMap { SessionName($0.name) }.filter(store.isLive)
    if let only = try Meant.only(live, "recording", called: \.text, all: all) { return only }
    // A session that died is reported by the caller.
    if store.record(of: .usual) != nil { return .usual }
    // Another machine that shares the home may have one.
    if store.distant.contains(where: { $0.record.name == SessionName.usual.text }) { return .usual }
    throw Failure(
      .notFound,
      Message("nothing is being recorded", advice: "\"recorder takes\" lists finished recordings"))
  }
}
