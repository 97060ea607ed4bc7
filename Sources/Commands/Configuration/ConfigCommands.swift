internal import JSON
internal import Linux

/// The commands that show and change the settings.
enum ConfigCommands {
  private static let key = Operand<SettingName>(.one, summary: "Setting")
  private static let value = Operand<SettingText>(
    .one, summary: "New value, written as for the option")

  static var rows: [CommandRow] {
    [
      CommandRow(["config"], describeList) { _, console in
        var report = ConfigurationReport(try Configuration.files())
        if !console.isQuiet { report.verbs = CommandTable.standard.subcommands(of: ["config"]) }
        return report
      },
      CommandRow(["config", "get"], describeGet) { arguments, _ in
        let entry = try entry(arguments)
        return SettingReport(entry: entry, found: try Configuration.current().effective(entry))
      },
      CommandRow(["config", "set"], describeSet) { arguments, console in
        try set(entry(arguments), to: arguments[value].first?.text ?? "", console)
      },
      CommandRow(["config", "unset"], describeUnset) { arguments, console in
        try unset(arguments[key].first?.text ?? "", console)
      },
      CommandRow(["config", "edit"], describeEdit) { _, console in
        try ConfigurationDraft(of: .user()).edit(console)
      },
    ]
  }

  private static func entry(_ arguments: Arguments) throws -> SettingEntry {
    let name = arguments[key].first?.text ?? ""
    guard let entry = Settings.entry(name) else { throw unknown(name) }
    return entry
  }

  /// Sets a value in the user's file.
  private static func set(
    _ entry: SettingEntry, to text: String, _ console: Console
  ) throws -> any Report {
    try entry.value.check(text, of: entry.key)
    let file = try ConfigurationFile.user()
    try file.rewrite { object in
      let number = Int64(text).flatMap { "\($0)" == text ? $0 : nil }
      object[entry.key] = number.map { .integer($0) } ?? .string(text)
    }
    return change(of: entry, file, console)
  }

  /// Removes a key from the user's file.
  private static func unset(_ key: String, _ console: Console) throws -> any Report {
    let file = try ConfigurationFile.user()
    try file.rewrite { object in
      if object[key] == nil { throw absent(key, file) }
      object[key] = nil
    }
    guard let entry = Settings.entry(key) else { return RemovedSettingReport(key: key) }
    return change(of: entry, file, console)
  }

  private static func absent(_ key: String, _ file: ConfigurationFile) -> Failure {
    guard Settings.entry(key) != nil else { return unknown(key) }
    return Failure(
      .notFound, "\(quoted(file.path)) has no setting \(quoted(key))",
      advice: "\"recorder config\" shows where each value comes from")
  }

  private static func unknown(_ key: String) -> Failure {
    Failure(
      .usage,
      "unknown setting \(quoted(key))"
        + UsageError.suggestion(nearestSettings(to: key.lowercased())),
      advice: "\"recorder config\" lists the settings")
  }

  /// Returns the report of a setting after a change. Prints a warning about the first fault of the
  /// files, and about an environment variable that overrides the setting.
  private static func change(
    of entry: SettingEntry, _ file: ConfigurationFile, _ console: Console
  ) -> any Report {
    let configuration = Configuration.asFarAsGood()
    if let fault = configuration.levels.lazy.flatMap(\.faults).first {
      console.warn(fault.message)
    }
    let found = configuration.effective(entry)
    if case .environment(let variable) = found?.source {
      console.warn("the variable \(variable) overrides \(quoted(file.path))")
    }
    return SettingReport(entry: entry, found: found, isNamed: true)
  }
}

// MARK: - Descriptions

extension ConfigCommands {
  private static func describeList(_ words: [String]) -> Command {
    Command(
      words, section: .machine, summary: "Show the settings, and the commands for them",
      details: [
        "Shows each setting with its value and its source: an environment variable, your "
          + "file, the administrator's file /etc/recorder/config.json, or recorder itself. The first "
          + "source with a value wins. An option on the command line overrides all of them.",
        "Your file is $XDG_CONFIG_HOME/recorder/config.json, by default "
          + "~/.config/recorder/config.json: one object, such as { \"format\": \"flac\", \"rate\": "
          + "48000 }. Write each value as you would type it for the option.",
        "Commands that need the settings refuse a file with an unknown setting or a wrong value, or "
          + "a file that other users can write. Commands that stop a recording do not need them. No "
          + "setting can grant access to the microphone.",
      ],
      examples: [
        Example("recorder config", "Show all settings"),
        Example("recorder config --json", "Print the settings as JSON"),
      ])
  }

  private static func describeGet(_ words: [String]) -> Command {
    Command(
      words, section: .machine, summary: "Print the value of a setting",
      details: [
        "Prints the value that a command uses if its option is omitted, or nothing if there is no "
          + "value."
      ],
      operands: [key],
      examples: [Example("recorder config get format", "Print the default file format")])
  }

  private static func describeSet(_ words: [String]) -> Command {
    Command(
      words, section: .machine, summary: "Change a setting",
      details: [
        "Writes the value to your file, which is created if it is missing.",
        settingList,
      ],
      operands: [key, value],
      examples: [
        Example("recorder config set format flac", "Record FLAC by default"),
        Example("recorder config set directory ~/takes", "Save takes there if FILE is omitted"),
        Example("recorder config set volume -6dB", "Play sounds more quietly"),
      ],
      ends: [.outputRefused])
  }

  private static func describeUnset(_ words: [String]) -> Command {
    Command(
      words, section: .machine, summary: "Remove a setting from your file",
      details: ["Then the value in the administrator's file is used, or else the built-in value."],
      operands: [key],
      examples: [Example("recorder config unset format", "Use the default format again")],
      ends: [.notFound, .outputRefused])
  }

  private static func describeEdit(_ words: [String]) -> Command {
    Command(
      words, section: .machine, summary: "Edit your settings in an editor",
      details: [
        "Opens a copy of your file in the editor of $VISUAL or $EDITOR, or in vi. The copy replaces "
          + "your file only if it has no faults; otherwise you are asked to edit it again."
      ],
      examples: [Example("recorder config edit", "Edit your settings")],
      ends: [.outputRefused, .interrupted])
  }

  private static var settingList: String {
    "Settings: "
      + Settings.all.map { "\($0.key) (\($0.value.expectation))" }.joined(separator: "; ") + "."
  }
}
