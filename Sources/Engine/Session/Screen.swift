internal import CommandLine
internal import Control
internal import Linux

/// The terminal of a session in the foreground: a line that is redrawn, and the keys.
final class Screen {
  enum Key {
    case stop, toggle, mark
  }

  private var keyboard: Keyboard?
  private let drawing = Drawing.current
  private let isShown: Bool
  private let name: String
  private var isDirty = false

  /// Shows nothing where stderr is no terminal, and reads no keys where stdin is none.
  init(named name: String, isQuiet: Bool) {
    self.name = name
    isShown = Terminal.isTerminal(StandardStream.error.rawValue) && !isQuiet
    keyboard = .usable()
  }

  /// Readable when a key was pressed.
  var number: Int32 { keyboard?.number ?? -1 }

  /// The keys with a meaning.
  func keys() -> [Key] {
    (keyboard?.typed ?? []).compactMap { byte in
      switch byte {
      case UInt8(ascii: "q"): .stop
      case UInt8(ascii: " "): .toggle
      case UInt8(ascii: "m"): .mark
      default: nil
      }
    }
  }

  /// Redraws the line.
  func draw(_ status: RecordingStatus) { draw { width in meterLine(status, width: width) } }

  /// Redraws a line that `line` makes for the width.
  func draw(_ line: (Int) -> String) {
    // A stopped terminal (Ctrl-S) must not keep the session from signals and revocations.
    guard isShown, StandardStream.error.hasRoom else { return }
    isDirty = true
    try? StandardStream.error.write(drawing.line(printable(line(width)), width: width))
  }

  /// One less than the columns: after the last one, some terminals continue in the next row.
  private var width: Int {
    (Terminal.size(of: StandardStream.error.rawValue)?.columns ?? textWidth) - 1
  }

  /// Stops the process as Ctrl-Z asks, with the terminal in its own mode until the process
  /// continues.
  func stopHere() {
    clear()
    keyboard = nil
    Signal.terminalStop.obey()
    keyboard = .usable()
  }

  /// Removes the line, so that something else can be written.
  func clear() {
    guard isDirty, StandardStream.error.hasRoom else { return }
    isDirty = false
    try? StandardStream.error.write(drawing.noLine(width: width))
  }
}
