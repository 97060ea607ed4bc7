internal import JSON
internal import Linux

/// The settings from files and environment variables. An option of the command overrides them.
struct Configuration: Sendable {
  /// A value with its source.
  struct Found: Hashable, Sendable {
    let text: String
    let source: Source
  }

  /// The sources of a value. The first source with a value wins.
  enum Source: Hashable, Sendable {
    case environment(variable: String)
    case file(ConfigurationFile)
    case builtIn
  }

  /// The files with their settings. The first file with a value wins.
  let levels: [CheckedConfiguration]

  /// Settings that come from environment variables only.
  static let none = Configuration(levels: [])

  /// Returns the files of this user and of this machine. The first file overrides the second.
  static func files() throws -> [ConfigurationFile] { [try .user(), .system] }

  /// Reads the settings. Throws the first fault of the files.
  ///
  /// - Parameter entries: the settings that the command uses, or nil for all. A fault of another
  ///   setting is ignored.
  static func current(of entries: [SettingEntry]? = nil) throws -> Configuration {
    try reading(files(), of: entries)
  }

  /// Reads the settings of these files. Earlier files override later ones.
  static func reading(
    _ files: [ConfigurationFile], of entries: [SettingEntry]? = nil
  ) throws -> Configuration {
    let levels = files.map { CheckedConfiguration($0, of: entries) }
    if let fault = levels.lazy.flatMap(\.faults).first { throw fault }
    return Configuration(levels: levels)
  }

  /// Reads the valid settings and ignores all faults, for uses that must not fail, such as colors.
  static func asFarAsGood() -> Configuration {
    Configuration(levels: ((try? files()) ?? []).map { CheckedConfiguration($0) })
  }

  /// The value of an environment variable or a file, or nil if there is none.
  subscript<Value>(setting: Setting<Value>) -> Value? {
    // Values from files were checked. Values from variables need no check: for the settings that
    // have a variable, every non-empty text is valid.
    found(setting.entry).flatMap { found in try? Value(argument: found.text) }
  }

  /// Returns the value of an environment variable or a file with its source, or nil if there is
  /// none.
  func found(_ entry: SettingEntry) -> Found? {
    if let variable = entry.variable, let text = Self.text(of: variable, entry) {
      return Found(text: text, source: .environment(variable: variable))
    }
    for level in levels {
      if let text = level.values[entry.key] { return Found(text: text, source: .file(level.file)) }
    }
    return nil
  }

  /// Returns the value of an environment variable or a file, else the built-in value.
  func effective<Value>(_ setting: Setting<Value>) -> Value? {
    effective(setting.entry).flatMap { found in try? Value(argument: found.text) }
  }

  /// Returns the value with its source: an environment variable, a file or the built-in value.
  func effective(_ entry: SettingEntry) -> Found? {
    found(entry) ?? entry.builtIn.map { Found(text: $0, source: .builtIn) }
  }

  private static func text(of variable: String, _ entry: SettingEntry) -> String? {
    guard let value = Environment.text(of: variable) else { return nil }
    // By convention, NO_COLOR turns colors off with any value.
    return entry.key == Settings.color.entry.key ? ColorWish.never.rawValue : value
  }
}

extension Configuration {
  /// The capture device if no option names one.
  var captureDevice: String { self[Settings.device]?.value ?? "default" }

  /// The directory of takes that are started without FILE, or nil for the working directory. The
  /// path ends with a slash.
  var directory: String? {
    self[Settings.directory]?.path(home: (try? BaseDirectories(.current()).home) ?? "")
  }

  /// The playback device if no option names one.
  var playbackDevice: String { self[Settings.soundsDevice]?.value ?? "default" }
}

extension Style {
  /// Returns the style of a stream: colored on a terminal, unless an environment variable or a
  /// setting turns colors off.
  static func wanted(on stream: StandardStream) -> Style {
    guard Terminal.isTerminal(stream.rawValue), Environment.value(of: "TERM") != "dumb" else {
      return .plain
    }
    return wantsColors ? .colored : .plain
  }

  private static let wantsColors = Configuration.asFarAsGood()[Settings.color] != .never
}

/// The device that an environment variable or a setting names for commands without `--device`.
package struct UsualDevice: Hashable, Sendable {
  /// The device, in the form of `--device`.
  package let name: String
  /// The variable, or the setting with its file.
  package let source: String

  /// Finds the device for sounds or for recordings, or returns nil if no variable and no valid
  /// setting names one.
  package init?(plays: Bool) {
    let entry = plays ? Settings.soundsDevice.entry : Settings.device.entry
    guard let found = Configuration.asFarAsGood().found(entry) else { return nil }
    name = found.text
    switch found.source {
    case .environment(let variable): source = variable
    case .file(let file): source = "\(quoted(entry.key)) in \(quoted(file.path))"
    case .builtIn: return nil
    }
  }
}
