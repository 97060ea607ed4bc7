/// An error in a command line.
package enum UsageError: Error, Hashable, Sendable {
  case noCommand
  case unfinishedCommand([String], next: [String])
  case unknownCommand(String, nearest: [String])
  /// - Parameter meant: the correct command line, or nil if it cannot be guessed.
  case unknownOption(String, command: String?, nearest: [String], meant: String? = nil)
  case missingValue(option: String, expectation: String)
  case unexpectedValue(option: String)
  case repeatedOption(String)
  /// - Parameters:
  ///   - meant: the corrected text, or nil if it cannot be guessed.
  ///   - advice: the advice if there is no corrected text.
  case badValue(
    String, of: String, expectation: String, meant: String? = nil, advice: String? = nil)
  /// A number and its unit were given as two words.
  case parted(String, String, of: String, meant: String)
  case valueOutOfRange(String, of: String, limits: String)
  case missingOperand(String, command: String)
  /// - Parameters:
  ///   - text: all words as one text if the operand is a text, or nil for any other operand.
  ///   - named: a second suggestion, with the first word as the name of a recording. Nil if the
  ///     command takes no name, or if the word is not a valid name.
  case extraOperand(String, command: String, text: String? = nil, named: String? = nil)
  case notText
}

extension UsageError {
  /// The message for the user: the error, the nearest valid word, and the help page.
  var message: Message {
    switch self {
    case .noCommand:
      Message("no command given", advice: Self.listAdvice)
    case .unfinishedCommand(let words, let next):
      Message(
        "\(quoted(words.joined(separator: " "))) needs a subcommand: \(alternatives(next))",
        advice: Self.helpAdvice(words.joined(separator: " ")))
    case .unknownCommand(let name, let nearest):
      Message(
        "unknown command \(quoted(name))" + Self.suggestion(nearest),
        advice: CommonWord.advice(for: name) ?? Self.listAdvice)
    case .unknownOption(let option, let command, let nearest, let meant):
      Message(
        "unknown option \(quoted(option))" + Self.suggestion(nearest),
        advice: meant.map { "write \(quoted($0))" }
          ?? CommonWord.optionAdvice(for: option, of: command) ?? Self.helpAdvice(command))
    case .missingValue(let option, let expectation):
      Message("\(quoted(option)) needs a value: \(expectation)")
    case .unexpectedValue(let option):
      Message("\(quoted(option)) takes no value")
    case .repeatedOption(let option):
      Message("\(quoted(option)) was given more than once", advice: "give this option once")
    case .badValue(let text, let owner, let expectation, let meant, let advice):
      Message(
        "\(owner): \(quoted(text)) is not valid; use \(expectation)",
        advice: meant.map { "write \(quoted($0))" } ?? advice)
    case .parted(let number, let unit, let owner, let meant):
      Message(
        "\(owner): \(quoted(number + " " + unit)) is two words; write \(quoted(meant))",
        advice: "if \(quoted(unit)) is a name, put it before \(owner)")
    case .valueOutOfRange(let text, let owner, let limits):
      Message("\(owner): \(quoted(text)) is out of range: \(limits)")
    case .missingOperand(let name, let command):
      Message(
        "\(quoted(command)) needs \(Self.article(name)) \(name)",
        advice: name == "KEY" ? CommonWord.settingsAdvice : Self.helpAdvice(command))
    case .extraOperand(_, let command, let text?, let named):
      Message(
        "\(quoted(command)) takes only one text; put it in quotation marks",
        advice: "write recorder \(command) \(quoted(text))"
          + (named.map { ", or recorder \(command) \($0)" } ?? ""))
    case .extraOperand(let text, let command, nil, _):
      Message(
        "\(quoted(command)) does not take the argument \(quoted(text))",
        advice: (command == "export" ? CommonWord.advice(for: "join") : nil)
          ?? Self.helpAdvice(command))
    case .notText:
      Message(
        "an argument is not UTF-8 text",
        advice: "rename the file, or run recorder in its directory")
    }
  }

  private static func article(_ name: String) -> String {
    name.first.map { "AEIOU".contains($0) } == true ? "an" : "a"
  }

  private static let listAdvice = "\"recorder help\" lists the commands"

  private static func helpAdvice(_ command: String?) -> String {
    guard let command else { return listAdvice }
    return "\"recorder \(command) --help\" shows how to use it"
  }

  static func suggestion(_ names: [String]) -> String {
    names.isEmpty ? "" : "; did you mean \(alternatives(names.prefix(3).map(quoted)))?"
  }
}

/// Common words for commands that have other names in `recorder`.
enum CommonWord {
  /// Returns the commands that the words may mean. Commands of the family that `words` begins with
  /// come first. Some of the returned commands may not exist; the caller skips them.
  static func meant(by words: [String]) -> [[String]] {
    guard let last = words.last else { return [] }
    let meant = (commands[last] ?? []).map { $0.split(separator: " ").map(String.init) }
    let family = Array(words.dropLast())
    guard !family.isEmpty else { return meant }
    let inFamily = meant.map { family + $0.suffix(1) }
    return inFamily + meant.filter { $0.starts(with: family) && !inFamily.contains($0) }
  }

  /// Returns the advice for a word that matches no command, or nil for an unknown word.
  static func advice(for name: String) -> String? { advice[name] }

  /// Returns the options among `names` that a common word for an option may mean, or nil if there
  /// are none.
  static func option(meantBy word: String, among names: [String]) -> [String]? {
    let meant = options[word]?.filter(names.contains) ?? []
    return meant.isEmpty ? nil : meant
  }

  /// Returns the advice for an option that the command lacks because another program has that
  /// function, or nil for any other option.
  static func optionAdvice(for word: String, of command: String?) -> String? {
    guard command == "start", word == "--at" else { return nil }
    return "to start at a time: systemd-run --user --on-calendar=18:00 recorder start --foreground"
  }

  static let settingsAdvice = "\"recorder config\" lists the settings"

  private static let options = [
    "--for": ["--duration"], "--time": ["--duration"], "--length": ["--duration"],
    "--sample-rate": ["--rate"], "--samplerate": ["--rate"], "--volume": ["--gain"],
    "--file-type": ["--format"], "--today": ["--since"], "--until": ["--duration"],
    "-t": ["--format", "--duration"],
  ]

  private static let commands: [String: [String]] = [
    "record": ["start"], "rec": ["start"], "capture": ["start"], "begin": ["start"],
    "new": ["start"], "end": ["stop"], "finish": ["stop"], "quit": ["stop"], "exit": ["stop"],
    "kill": ["stop"], "save": ["stop"], "abort": ["cancel"], "discard": ["cancel"],
    "continue": ["resume"], "unpause": ["resume"], "bookmark": ["mark"], "note": ["mark"],
    "tag": ["mark"], "name": ["rename"], "loudness": ["info"], "loop": ["play"],
    "next": ["split"], "cut": ["split", "export"], "ps": ["status"], "show": ["status"],
    "trim": ["export"], "convert": ["export"], "normalize": ["export"], "crop": ["export"],
    "listen": ["play", "meter"], "mic": ["devices", "meter"], "find": ["takes"],
    "list": ["takes", "devices", "sound list"], "ls": ["takes", "devices", "sound list"],
    "history": ["takes"], "recordings": ["takes"], "search": ["takes", "sound list"],
    "delete": ["trash", "cancel", "sound remove"], "del": ["trash", "cancel", "sound remove"],
    "rm": ["trash", "cancel", "sound remove"], "remove": ["trash", "sound remove", "cancel"],
    "mv": ["rename"], "move": ["rename"], "revert": ["undo"], "undelete": ["undo"],
    "again": ["redo"],
    "import": ["sound add"], "sounds": ["sound list"], "levels": ["meter"], "level": ["meter"],
    "vu": ["meter"], "calibrate": ["meter"], "microphones": ["devices"], "mics": ["devices"],
    "inputs": ["devices"], "outputs": ["devices"], "cards": ["devices"], "check": ["doctor"],
    "diagnose": ["doctor"], "test": ["doctor"], "repair": ["recover"],
    "restore": ["undo", "recover"],
    "fix": ["recover"], "rescue": ["recover"], "allow": ["permission grant"],
    "authorize": ["permission grant"], "grant": ["permission grant"],
    "deny": ["permission revoke"], "forbid": ["permission revoke"], "man": ["help"],
    "manual": ["help"], "usage": ["help"], "metadata": ["info"], "file": ["info"],
    "probe": ["info"], "configure": ["config"], "configuration": ["config"],
    "settings": ["config"], "preferences": ["config"], "setup": ["config", "doctor"],
    "louder": ["sound volume"], "softer": ["sound volume"],
  ]

  private static let advice: [String: String] = [
    "version": "\"recorder --version\" prints the version",
    "update": "update recorder as you installed it: with \"make install\" or your package manager",
    "join": "to join files: recorder export FIRST OUT --join SECOND",
    "concat": "to join files: recorder export FIRST OUT --join SECOND",
    "title": "to set a title: recorder start --title TEXT, or recorder rename TAKE --title TEXT",
    "loudness": "to measure a file: recorder info --levels FILE",
    "marks": "to list the marks of a file: recorder info FILE",
    "sound play": "to play a sound: recorder play NAME",
    "sound loop": "to repeat a sound: recorder play NAME --loop",
    "config list": settingsAdvice, "config show": settingsAdvice,
    "delete": "a finished recording is an ordinary file: \"recorder takes\" shows its path",
    "rm": "a finished recording is an ordinary file: \"recorder takes\" shows its path",
  ]
}
