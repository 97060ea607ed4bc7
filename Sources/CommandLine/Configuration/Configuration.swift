internal import JSON
internal import Linux

/// The settings of the files and the variables; an option of the command comes before them.
struct Configuration: Sendable {
  /// A value with its source.
  struct Found: Hashable, Sendable {
    let text: String
    let source: Source
  }

  /// The sources of a value, the first of which that has one decides.
  enum Source: Hashable, Sendable {
    case environment(variable: String)
    case file(ConfigurationFile)
    case builtIn
  }

  /// The files with their settings, the first of which that has one decides.
  private let levels: [Level]

  /// A file with its good settings.
  struct Level: Sendable {
    let file: ConfigurationFile
    let values: [String: String]
  }

  /// No files; variables still count.
  static let none = Configuration(levels: [])

  init(levels: [Level]) { self.levels = levels }

  /// The files of this user and this machine, the first of which comes before the second.
  static func files() throws(Failure) -> [ConfigurationFile] { [try .user(), .system] }

  /// Reads the settings; throws the first fault of the files.
  ///
  /// - Parameter entries: the settings that the command uses, if it does not use all: a fault of
  ///   another one is no reason to fail.
  static func current(of entries: [SettingEntry]? = nil) throws(Failure) -> Configuration {
    try reading(files(), of: entries)
  }

  /// Reads the settings of these files, the first of which comes before the others.
  static func reading(
    _ files: [ConfigurationFile], of entries: [SettingEntry]? = nil
  ) throws(Failure) -> Configuration {
    var levels: [Level] = []
    for file in files {
      let object = try file.failing { () throws(ConfigurationFault) in try file.text().object() }
      let checked = CheckedSettings(object, in: file.path, of: entries)
      if let fault = checked.faults.first { throw fault.failure(in: file) }
      levels.append(Level(file: file, values: checked.values))
    }
    return Configuration(levels: levels)
  }

  /// Reads the settings as far as they are good, for effects that no command may fail for.
  static func asFarAsGood() -> Configuration {
    guard let files = try? files() else { return .none }
    return Configuration(
      levels: files.map { file in
        let object = (try? file.text().object()) ?? JSONObject()
        return Level(file: file, values: CheckedSettings(object, in: file.path).values)
      })
  }

  /// The value of a variable or a file; nil where there is none.
  subscript<Value>(setting: Setting<Value>) -> Value? {
    // Values of files are checked, and any text that is not empty is the value of a variable.
    found(setting.entry).flatMap { found in try? Value(argument: found.text) }
  }

  /// The value of a variable or a file with its source; nil where there is none.
  func found(_ entry: SettingEntry) -> Found? {
    if let variable = entry.variable, let text = Self.text(of: variable, entry) {
      return Found(text: text, source: .environment(variable: variable))
    }
    for level in levels {
      if let text = level.values[entry.key] { return Found(text: text, source: .file(level.file)) }
    }
    return nil
  }

  /// The value of a variable or a file, else the built-in one.
  func effective<Value>(_ setting: Setting<Value>) -> Value? {
    effective(setting.entry).flatMap { found in try? Value(argument: found.text) }
  }

  /// The value with its source, of the program itself where nobody else has one.
  func effective(_ entry: SettingEntry) -> Found? {
    found(entry) ?? entry.builtIn.map { Found(text: $0, source: .builtIn) }
  }

  private static func text(of variable: String, _ entry: SettingEntry) -> String? {
    guard let value = Environment.value(of: variable), !value.isEmpty else { return nil }
    // By its convention, NO_COLOR has this meaning whatever its value is.
    return entry.key == Settings.color.entry.key ? ColorWish.never.rawValue : value
  }
}

extension Configuration {
  /// The capture device where no option names one.
  var captureDevice: String { self[Settings.device]?.value ?? "default" }

  /// The playback device where no option names one.
  var playbackDevice: String { self[Settings.soundsDevice]?.value ?? "default" }
}

extension Style {
  /// The style of a stream: colored on a terminal, unless a variable or a setting turns colors off.
  static func wanted(on stream: StandardStream) -> Style {
    guard Terminal.isTerminal(stream.rawValue), Environment.value(of: "TERM") != "dumb" else {
      return .plain
    }
    return wantsColors ? .colored : .plain
  }

  private static let wantsColors = Configuration.asFarAsGood()[Settings.color] != .never
}

/// The device that a variable or a setting names for commands without `--device`.
package struct UsualDevice: Hashable, Sendable {
  /// The device, as `--device` takes it.
  package let name: String
  /// The variable, or the setting with its file.
  package let source: String

  /// The device of sounds or of recordings; nil where nothing names one, or a file has a fault.
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
