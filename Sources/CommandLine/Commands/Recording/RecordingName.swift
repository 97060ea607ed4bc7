internal import Control

/// The recording that a command is about.
enum RecordingName {
  static let operand = Operand<SessionName>(
    .optional, summary: "The recording's name; \"default\" where none is given")

  /// The one that was named, or the usual one.
  static func given(_ arguments: Arguments) -> SessionName { arguments[operand].first ?? .usual }
}
