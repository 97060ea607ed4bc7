internal import Audio
internal import Control
internal import JSON
internal import Store

/// The commands that control a running recording.
enum RecordingCommands {
  private static let recording = Operand<SessionName>(
    .optional, summary: ImpliedName.summary("recording", usual: SessionName.usual.text))
  private static let all = Flag("all", short: "a", summary: "Stop all recordings of this user")
  private static let markText = Operand<Text>(.optional, summary: "Text of the mark, one line")
  private static let marked = Option<SessionName>(
    "name", short: "n", summary: ImpliedName.summary("recording", usual: SessionName.usual.text))

  /// The exit codes of a finished recording, besides the exit codes of every command.
  static let results: [ExitCode] =
    [.notFound, .incomplete, .nothingCaptured, .outputRefused] + ExitCode.accessLost

  static var rows: [CommandRow] {
    [
      row(.pause) {
        page(
          $0, "Pause a recording",
          "Audio is discarded until the recording is resumed. The file continues without a gap, "
            + "with a marker at that position. Repeating the command is harmless.",
          examples: [Example("recorder pause", "Pause the recording")])
      },
      row(.resume) {
        page(
          $0, "Resume a paused recording",
          "Needs microphone access, but never asks for it. Repeating the command is harmless.",
          examples: [Example("recorder resume", "Resume the recording")],
          ends: [.notFound] + ExitCode.accessRefused)
      },
      row(.toggle) {
        page(
          $0, "Pause or resume a recording",
          "Pauses a recording that is running and resumes one that is paused. Useful for a key or "
            + "a button.",
          examples: [Example("recorder toggle", "Pause or resume the recording")],
          ends: [.notFound] + ExitCode.accessRefused)
      },
      CommandRow(["mark"], describeMark, run: mark),
      row(.split) {
        page(
          $0, "Continue the recording in a new file",
          "No frame is lost or repeated: the files in order are the whole take. a.wav is "
            + "followed by a-002.wav, or by a name with the current time if FILE contains a time; names in "
            + "use are skipped. The previous file is completed a moment later or, during a pause, once the "
            + "recording resumes. If the next file cannot be created, the recording continues in the "
            + "current one. Does nothing before the take of an armed recording has begun.",
          examples: [
            Example("recorder split", "Start the next file"),
            Example("recorder split log", "Start the next file of the recording \"log\""),
          ], ends: [.notFound, .outputRefused])
      },
      row(.trigger) {
        page(
          $0, "Start the take of an armed recording",
          "The take also includes the audio just before the trigger, up to the --pre-roll of "
            + "\"recorder start --armed\". Does nothing if the take has already begun.",
          examples: [Example("recorder trigger", "Start the take now")])
      },
      CommandRow(["stop"], describeStop, run: stop),
      CommandRow(["wait"], describeWait) { arguments, _ in
        let client = try SessionClient()
        let name = try client.ending(named: arguments[recording].first, by: .wait)
        return RecordingReport(
          try client.result(of: name, asking: .wait, waitingUpTo: arguments[timeout]))
      },
      CommandRow(["cancel"], describeCancel, run: cancel),
    ]
  }

  /// Returns the row of a verb whose answer is the status of the recording.
  private static func row(
    _ verb: SessionVerb, _ describe: @escaping @Sendable ([String]) -> Command
  ) -> CommandRow {
    CommandRow([verb.rawValue], describe) { arguments, console in
      let client = try SessionClient()
      let name = try name(arguments, client)
      client.noteStopped(name, console)
      let former = try former(verb, name, client)
      let status = try client.status(of: name, after: verb)
      if let note = former.flatMap({ effectNote(verb, $0, status) }) { console.note(note) }
      var report = StatusReport(recordings: [status], isSingle: true)
      if verb == .split, let former, status.segment == (former.segment ?? 1) + 1 {
        report.finished = former
      }
      return report
    }
  }

  /// Returns the status before a request, or nil if the report of the request does not need it.
  private static func former(
    _ verb: SessionVerb, _ name: SessionName, _ client: SessionClient
  ) throws -> RecordingStatus? {
    guard [.pause, .resume, .split, .trigger].contains(verb),
      let answer = try client.ask(name, .status)
    else { return nil }
    return RecordingStatus(json: .object(answer))
  }

  /// Returns the reason why a request had no effect or will have an effect later. Returns nil if it
  /// had an effect.
  ///
  /// - Parameters:
  ///   - former: the status before the request.
  ///   - status: the status after the request.
  private static func effectNote(
    _ verb: SessionVerb, _ former: RecordingStatus, _ status: RecordingStatus
  ) -> String? {
    let name = quoted(status.name)
    switch verb {
    case .pause where former.state == .paused: return "\(name) is already paused"
    case .resume where former.state != .paused: return "\(name) is not paused"
    case .trigger where !former.isArmed: return "\(name) has already begun"
    case .trigger where status.state == .paused:
      return "the recording is paused; \"recorder resume\(argument(of: status.name))\" continues it"
    case .split where status.isArmed: return "the take has not begun; nothing was split"
    case .split where status.state == .paused:
      return "the recording is paused; the next file begins when it resumes"
    default: return nil
    }
  }

  /// Returns the description of a command whose only operand is the recording.
  static func page(
    _ words: [String], _ summary: String, _ details: String, options: [OptionGroup] = [],
    examples: [Example], ends: [ExitCode] = [.notFound]
  ) -> Command {
    Command(
      words, section: .recording, summary: summary, details: [details], operands: [recording],
      options: options, examples: examples, ends: ends)
  }

  /// Returns the recording that the arguments name, or else the implied recording.
  static func name(_ arguments: Arguments, _ client: SessionClient) throws -> SessionName {
    try client.recording(named: arguments[recording].first)
  }
}

// MARK: - mark

extension RecordingCommands {
  private static func describeMark(_ words: [String]) -> Command {
    Command(
      words, section: .recording, summary: "Mark this moment in a recording",
      details: [
        "A WAV file stores its marks as markers. FILE.json has the marks of all other files, and of a WAV "
          + "file with a pause, a gap or several tracks."
      ],
      operands: [markText],
      options: [OptionGroup("Options", [marked])],
      examples: [Example("recorder mark applause", "Mark this moment as \"applause\"")],
      ends: [.notFound])
  }

  private static func mark(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let text = try MarkText.checked(arguments[markText].first?.value ?? "")
    let client = try SessionClient()
    let recording = try client.recording(
      named: arguments[marked], by: marked.entry.spelling)
    let answer = try client.obey(recording, .mark, ["text": .string(text)])
    return MarkReport(recording: recording.text, answer: answer)
  }
}

/// The report of a mark.
private struct MarkReport: Report {
  let recording: String
  /// The status of the recording, which includes the mark.
  let answer: JSONObject

  func text(_ style: Style) -> String {
    let mark = answer["mark"]
    let time = mark?["time"].flatMap(Duration.init(json:)).map { " at \(clock($0))" } ?? ""
    let text = mark?["label"]?.string ?? ""
    if time.isEmpty, answer["state"] == .string(RecordingStatus.State.armed.rawValue) {
      return
        "\(recording) is waiting to record. If its pre-roll includes this moment, the mark is set "
        + "here, otherwise at the beginning.\n"
    }
    if time.isEmpty {
      return "Marked \(recording); its time is not known yet.\n"
    }
    return "Marked \(recording)\(time)\(text.isEmpty ? "" : ": " + printable(text))\n"
  }

  var json: JSONObject { answer }
}

// MARK: - stop and wait

extension RecordingCommands {
  private static func describeStop(_ words: [String]) -> Command {
    Command(
      words, section: .recording, summary: "Stop a recording and save it",
      details: [
        "Returns when the file is complete and on disk. The result of a recording that ended by "
          + "itself is reported with its exit code, but only once: the first stop or wait reports it. "
          + "Without NAME, this applies to the recording \"default\", and for ten minutes to the others; "
          + "several results are listed. "
          + "An interrupted recording is reported until \"recorder recover\" has saved it."
      ],
      operands: [recording],
      options: [OptionGroup("Options", [all])],
      examples: [
        Example("recorder stop", "Stop the recording"),
        Example("recorder stop log", "Stop the recording \"log\""),
        Example("recorder stop --all", "Stop all recordings"),
      ],
      ends: results)
  }

  private static func stop(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let client = try SessionClient()
    guard arguments[all] else {
      let name = try client.ending(named: arguments[recording].first, by: .stop)
      let hasEnded = !client.store.sessions.isLive(name)
      client.noteStopped(name, console)
      let result = try client.result(of: name, asking: .stop)
      if hasEnded || arguments[recording].isEmpty {
        let end = hasEnded ? "\(quoted(name.text)) had already ended by itself; " : ""
        noteOthers(besides: name, after: end, client, console)
      }
      return RecordingReport(result)
    }
    guard arguments[recording].isEmpty else {
      throw Failure(.usage, "give a name or --all, not both")
    }
    return try stopAll(client, console)
  }

  /// Prints a note about the recordings that still run, if there are any.
  private static func noteOthers(
    besides name: SessionName, after clause: String, _ client: SessionClient, _ console: Console
  ) {
    let others = client.live.filter { $0 != name }
    guard !others.isEmpty else { return }
    console.note(
      "\(clause)still recording: "
        + alternatives(others.map { quoted($0.text) }, "and"),
      advice: others.map { "\"recorder stop \($0.text)\"" }.joined(separator: ", "))
  }

  private static func stopAll(_ client: SessionClient, _ console: Console) throws -> any Report {
    let names = client.live
    guard !names.isEmpty else { throw client.idle }
    var results: [RecordingResult] = []
    var failures: [Failure] = []
    for name in names {
      client.noteStopped(name, console)
      do {
        results.append(try client.result(of: name, asking: .stop))
      } catch {
        let failure = Failure(explaining: error)
        failures.append(failure)
        console.complain(failure.message)
      }
    }
    return RecordingReport(results, failures: failures)
  }

  private static func describeWait(_ words: [String]) -> Command {
    page(
      words, "Wait until a recording ends",
      "Prints the result of the recording and exits with its code, as \"recorder stop\" does. With "
        + "NAME, prints the result again until ten minutes after the end.",
      options: [OptionGroup("Options", [timeout])],
      examples: [
        Example("recorder wait", "Wait for the recording"),
        Example("recorder wait --timeout 10s", "Wait for at most ten seconds"),
      ],
      ends: results + [.alreadyRecording])
  }

  private static let timeout = Option<Duration>(
    "timeout", summary: "Exit with 11 if the recording has not ended after this time")
}
