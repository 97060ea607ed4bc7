/// The options that every command takes, before or after its name.
package enum GlobalOption {
  /// Prints the report's `json`; failures are printed as JSON too.
  package static let json = Flag("json", summary: "Print the result as JSON")
  /// Suppresses notes and warnings, but no error.
  package static let quiet = Flag(
    "quiet", short: "q", summary: "Print no notes and no warnings, only the result and errors")
  /// Shows the page of the command in place of running it.
  package static let help = Flag("help", short: "h", summary: "Explain the command, and do nothing")
  /// Shows the release, with or without a command.
  package static let version = Flag("version", summary: "Print the version, and do nothing")

  static let group = OptionGroup("Options of every command", [json, quiet, help, version])

  static var all: [OptionEntry] { group.options }
}
