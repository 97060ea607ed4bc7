internal import Control
internal import Guard
internal import JSON
internal import Linux

/// The report of the guard.
struct GuardReport: Report {
  /// The state, or nil if no guard is running.
  let status: GuardStatus?
  /// Whether the sound server makes programs wait until a guard runs.
  var isHeld = false
  /// The capture devices that programs of this user can open without PipeWire.
  var openDevices: [String] = []
  /// Whether there is a session bus, which the desktop's notifications need.
  var hasBus = true

  var exitCode: ExitCode { .done }

  func text(_ style: Style) -> String {
    guard let status else {
      return isHeld
        ? "No guard is running, but the guard's script in the sound server makes programs wait for "
          + "it.\n"
        : "No guard is running: every program can record.\n"
    }
    var rows: [Row] = [("Guard", "\(status.modeWords), process \(status.process)")]
    rows.append(("Microphone", status.levelWords))
    if !openDevices.isEmpty {
      let devices = openDevices.joined(separator: ", ")
      let words = "programs can open \(devices) without PipeWire; see recorder doctor"
      rows.append(("Not closed", words))
    }
    if !hasBus, status.mode == GuardMode.ask.rawValue {
      rows.append(("Questions", "only in \"recorder guard ask\", because there is no session bus"))
    }
    rows += status.uses.map { ("In use", $0.words) }
    rows += status.questions.map { ("Question", $0.words) }
    let advice =
      status.questions.isEmpty ? "" : "\nTo answer the questions: recorder guard ask\n"
    return definitions(rows) + advice
  }

  var json: JSONObject {
    let level: GuardLevel = isHeld ? .closed : .none
    var object = status?.json.object ?? ["level": .string(level.rawValue)]
    object["running"] = .bool(status != nil)
    if status != nil {
      object["openDevices"] = .array(openDevices.map { .string($0) })
      object["sessionBus"] = .bool(hasBus)
    }
    return object
  }
}

extension GuardStatus {
  fileprivate var modeWords: String { GuardMode(rawValue: mode)?.words ?? mode }

  /// The protection of the microphone in words, with the reason if there is one.
  var levelWords: String {
    let words =
      switch level {
      case .closed: "closed to programs without permission"
      case .cut: "closed to programs without permission, which may get a moment of sound first"
      case .logged: "open to every program"
      case .none: "not guarded"
      }
    return reason.map { "\(words): \($0)" } ?? words
  }
}

extension GuardMode {
  /// The effect of the mode, as the rest of a sentence that begins with "it".
  var words: String {
    switch self {
    case .ask: "asks about programs without a decision"
    case .deny: "refuses programs without a decision"
    case .log: "only logs the programs"
    }
  }
}

extension GuardedUse {
  /// The program, its process and its device.
  var words: String {
    "\(printable(title)) (process \(process)), \(printable(device))"
  }
}
