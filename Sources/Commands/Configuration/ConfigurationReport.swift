internal import JSON
internal import Linux

/// The report of the settings with their sources, and of the files.
struct ConfigurationReport: Report {
  private let configuration: Configuration
  /// The commands to list below the settings.
  var verbs: [Command] = []

  /// Reads the files. Earlier files override later ones.
  init(_ files: [ConfigurationFile]) {
    configuration = Configuration(levels: files.map { CheckedConfiguration($0) })
  }

  /// The exit code: `failed` if any file has a fault, because a command that needs the settings
  /// then fails too.
  var exitCode: ExitCode { configuration.levels.contains { !$0.faults.isEmpty } ? .failed : .done }

  func text(_ style: Style) -> String {
    let rows = Settings.all.map { entry -> (String, String, String) in
      let found = configuration.effective(entry)
      return (entry.key, found?.text ?? "-", found?.source.words ?? entry.absence)
    }
    let widths = (
      rows.map { columns(of: $0.0) }.max() ?? 0,
      rows.map { columns(of: printable($0.1)) }.max() ?? 0
    )
    let lines = rows.map { key, value, source in
      if isNarrow {
        return "\(key) = \(printable(value))\n"
          + wrapped(source, width: textWidth - 2).map { "  \($0)\n" }.joined()
      }
      return cell(key, width: widths.0 + 2) + cell(printable(value), width: min(widths.1, 30) + 2)
        + source + "\n"
    }
    return lines.joined() + "\n" + configuration.levels.map { $0.text(style) }.joined()
      + verbs.list
  }

  var json: JSONObject {
    [
      "settings": .array(
        Settings.all.map { .object(SettingReport.object($0, configuration.effective($0))) }),
      "files": .array(configuration.levels.map(\.json)),
    ]
  }
}

extension Configuration.Source {
  /// The source in the list.
  var words: String {
    switch self {
    case .environment(let variable): variable
    case .file(let file): file.level == .user ? "your file" : "the administrator's file"
    case .builtIn: "built in"
    }
  }

  fileprivate var name: String {
    switch self {
    case .environment: "environment"
    case .file(let file): file.level.rawValue
    case .builtIn: "builtIn"
    }
  }
}

/// The report of one setting.
struct SettingReport: Report {
  let entry: SettingEntry
  let found: Configuration.Found?
  /// Whether the text contains the key and the source in addition to the value.
  var isNamed = false

  func text(_ style: Style) -> String {
    guard isNamed else { return found.map { printable($0.text) + "\n" } ?? "" }
    guard let found else { return "\(entry.key) has no value: \(entry.absence)\n" }
    return "\(entry.key) is \(quoted(found.text)) (\(found.source.words))\n"
  }

  var json: JSONObject { Self.object(entry, found) }

  static func object(_ entry: SettingEntry, _ found: Configuration.Found?) -> JSONObject {
    var object: JSONObject = ["key": entry.key.json]
    object.set("value", found?.text)
    object.set("source", found?.source.name)
    switch found?.source {
    case .environment(let variable): object.set("variable", variable)
    case .file(let file): object.set("path", file.path)
    case .builtIn, nil: break
    }
    return object
  }
}

/// The report of `config unset` for an unknown setting, which was removed from the user's file.
struct RemovedSettingReport: Report {
  let key: String

  func text(_ style: Style) -> String { "" }

  var json: JSONObject { ["key": key.json] }
}

extension CheckedConfiguration {
  func text(_ style: Style) -> String {
    let name = printable(file.path)
    guard exists else { return labelled("no file", name, column: 10) }
    guard !faults.isEmpty else { return labelled(style.good("ok"), name, column: 10) }
    return faults.map { fault in
      ([fault.message.fact] + fault.message.advice).enumerated().map { index, line in
        (index == 0 ? style.bad("wrong") + "     " : "          ") + line + "\n"
      }.joined()
    }.joined()
  }

  var json: JSONValue {
    [
      "level": .string(file.level.rawValue), "path": file.path.json, "exists": .bool(exists),
      "faults": .array(
        faults.map { ["message": $0.message.fact.json, "advice": $0.message.advice.json] }),
    ]
  }

  /// The check of the file for `recorder doctor`. A fault is a problem, because no recording can be
  /// started with faulty settings.
  var check: Check {
    guard let fault = faults.first else {
      let names = values.keys.sorted()
      let finding =
        !exists
        ? "\(printable(file.path)) does not exist"
        : "\(printable(file.path)): " + (names.isEmpty ? "no settings" : alternatives(names, "and"))
      return .ok("Settings", finding)
    }
    return .problem(
      "Settings", fault.message.fact, fault.message.advice, code: fault.code)
  }
}

extension DoctorReport {
  /// Creates the report: the checks of this machine, and a check of each file of settings.
  static func withConfiguration(_ checks: [Check], isBrief: Bool) -> DoctorReport {
    let files = (try? Configuration.files()) ?? [.system]
    return DoctorReport(
      checks: checks + files.map { CheckedConfiguration($0).check }, isBrief: isBrief)
  }
}
