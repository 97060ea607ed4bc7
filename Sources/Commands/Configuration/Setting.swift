internal import Audio

/// A setting. Its values have the same form as the values of an option. `configuration[setting]`
/// returns the current value.
struct Setting<Value: ArgumentValue>: Sendable {
  /// The setting without the type of its value, for the table.
  let entry: SettingEntry

  init(
    _ key: String, builtIn: String? = nil, otherwise absence: String = "", variable: String? = nil,
    summary: String
  ) {
    entry = SettingEntry(
      key: key, builtIn: builtIn, absence: absence, variable: variable, summary: summary,
      value: ValueEntry(Value.self))
  }
}

/// A setting without the Swift type of its values, for the files, the help and the completions.
struct SettingEntry: Sendable {
  /// The name in the files, such as `rate`.
  let key: String
  /// The value that applies if no file and no environment variable has a value, or nil if there is
  /// none.
  let builtIn: String?
  /// The effect of having no value, in a few words.
  let absence: String
  /// The environment variable that overrides the files, or nil if there is none.
  let variable: String?
  /// The purpose of the setting in a few words, without a full stop.
  let summary: String
  /// The kind of the values, as for options.
  let value: ValueEntry
}

/// The settings of the program. For a new setting, add a constant and an entry in `all`.
///
/// No setting changes the permission to record, the files that store permissions, or the set of
/// programs that need a permission.
enum Settings {
  static let device = Setting<DeviceText>(
    "device", builtIn: "default", variable: "RECORDER_CAPTURE_DEVICE",
    summary: "Capture device of \"recorder start\" and \"recorder meter\"")
  static let directory = Setting<DirectoryPath>(
    "directory", otherwise: "the working directory",
    summary: "Directory of takes that are started without FILE")
  static let pattern = Setting<FileNamePattern>(
    "pattern", builtIn: "recording-%Y%m%d-%H%M%S",
    summary: "File name, without extension, of takes that are started without FILE")
  static let format = Setting<FileFormat>(
    "format", builtIn: "wav", summary: "File format of takes whose name has no extension")
  static let bits = Setting<Bits>(
    "bits", otherwise: "the format of the device", summary: "Sample format of takes")
  static let rate = Setting<SampleRate>(
    "rate", otherwise: "the rate of the device", summary: "Sample rate of takes")
  static let channels = Setting<ChannelCount>(
    "channels", otherwise: "all channels of the device",
    summary: "Number of channels of takes and meters")
  static let reconnect = Setting<Duration>(
    "reconnect", builtIn: "1m", summary: "Time to wait for a disconnected capture device")
  static let volume = Setting<Volume>(
    "volume", builtIn: "1.0", summary: "Default volume of sounds")
  static let soundsDevice = Setting<DeviceText>(
    "sounds.device", builtIn: "default", variable: "RECORDER_PLAYBACK_DEVICE",
    summary: "Playback device of sounds")
  static let color = Setting<ColorWish>(
    "color", builtIn: "auto", variable: "NO_COLOR",
    summary: "Use of colors: on terminals, or never")

  /// All settings, in the order of the list.
  static let all: [SettingEntry] = [
    device.entry, directory.entry, pattern.entry, format.entry, bits.entry, rate.entry,
    channels.entry, reconnect.entry, volume.entry, soundsDevice.entry, color.entry,
  ]

  /// Returns the setting of a key, or nil if the key is unknown.
  static func entry(_ key: String) -> SettingEntry? { all.first { $0.key == key } }
}

/// The use of colors.
enum ColorWish: String, WordValue {
  case auto
  case never

  static let placeholder = "WHEN"
}

/// The key of a setting. Any non-empty text is accepted, because `config unset` also removes
/// unknown keys.
struct SettingName: TextValue, Hashable {
  /// The key as typed.
  let text: String

  static let placeholder = "KEY"
  static let expectation = "a setting that \"recorder config\" lists"
  static let completion = Completion.names(.settings)
}

/// A new value of a setting. The command checks the value, because the parser does not know to
/// which setting the value belongs.
struct SettingText: TextValue, Hashable {
  /// The value as typed.
  let text: String

  static let placeholder = "VALUE"
  static let expectation = Text.expectation
  static let completion = Completion.valueOfSetting
}
