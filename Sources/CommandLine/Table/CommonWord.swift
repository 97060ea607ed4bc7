/// Common words for commands that have other names here.
enum CommonWord {
  /// The commands for these words, those of the same family first; some may not exist, and the
  /// caller skips them.
  static func meant(by words: [String]) -> [[String]] {
    guard let last = words.last else { return [] }
    let meant = (commands[last] ?? []).map { $0.split(separator: " ").map(String.init) }
    let family = Array(words.dropLast())
    guard !family.isEmpty else { return meant }
    let inFamily = meant.map { family + $0.suffix(1) }
    return inFamily + meant.filter { $0.starts(with: family) && !inFamily.contains($0) }
  }

  /// The advice for a word that no command fits; nil for an unknown word.
  static func advice(for name: String) -> String? { advice[name] }

  private static let commands: [String: [String]] = [
    "record": ["start"], "rec": ["start"], "capture": ["start"], "begin": ["start"],
    "new": ["start"], "end": ["stop"], "finish": ["stop"], "quit": ["stop"], "exit": ["stop"],
    "kill": ["stop"], "save": ["stop"], "abort": ["cancel"], "discard": ["cancel"],
    "continue": ["resume"], "unpause": ["resume"], "bookmark": ["mark"], "tag": ["mark"],
    "next": ["split"], "cut": ["split"], "ps": ["status"], "show": ["status"],
    "list": ["takes", "devices", "sound list"], "ls": ["takes", "devices", "sound list"],
    "history": ["takes"], "recordings": ["takes"], "search": ["takes", "sound list"],
    "delete": ["cancel", "sound remove"], "del": ["cancel", "sound remove"],
    "rm": ["cancel", "sound remove"], "remove": ["sound remove", "cancel"],
    "import": ["sound add"], "sounds": ["sound list"], "levels": ["meter"], "level": ["meter"],
    "vu": ["meter"], "calibrate": ["meter"], "microphones": ["devices"], "mics": ["devices"],
    "inputs": ["devices"], "outputs": ["devices"], "cards": ["devices"], "check": ["doctor"],
    "diagnose": ["doctor"], "test": ["doctor"], "repair": ["recover"], "restore": ["recover"],
    "fix": ["recover"], "rescue": ["recover"], "allow": ["permission grant"],
    "authorize": ["permission grant"], "grant": ["permission grant"],
    "deny": ["permission revoke"], "forbid": ["permission revoke"], "man": ["help"],
    "manual": ["help"], "usage": ["help"], "metadata": ["info"], "file": ["info"],
    "probe": ["info"], "louder": ["sound volume"], "softer": ["sound volume"],
  ]

  private static let advice: [String: String] = [
    "version": "\"recorder --version\" prints the version",
    "config": noConfiguration, "configure": noConfiguration, "settings": noConfiguration,
    "preferences": noConfiguration, "setup": noConfiguration,
    "undo": "\"recorder takes\" lists finished recordings; recorder never deletes one",
    "update": "recorder is updated as it was installed: by \"make install\" or your packages",
    "delete": "a finished recording is an ordinary file: \"recorder takes\" says where",
    "rm": "a finished recording is an ordinary file: \"recorder takes\" says where",
  ]

  private static let noConfiguration =
    "recorder has no settings file: its options and variables are in \"recorder help manual\""
}
