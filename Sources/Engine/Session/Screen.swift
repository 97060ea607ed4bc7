internal import CommandLine
internal import Control
internal import Linux

/// The terminal of a session in the foreground: a line that moves, and the keys.
final class Screen {
  enum Key {
    case stop, toggle, mark
  }

  private let keyboard: Keyboard?
  private let isShown: Bool
  private let name: String
  private var isDirty = false

  /// Shows nothing where stderr is no terminal, and takes no keys where stdin is none.
  init(named name: String, isQuiet: Bool) {
    self.name = name
    isShown = Terminal.isTerminal(StandardStream.error.rawValue) && !isQuiet
    keyboard = Keyboard.isUsable ? try? Keyboard() : nil
  }

  /// Readable when a key was pressed.
  var number: Int32 { keyboard?.number ?? -1 }

  /// The keys that mean something.
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

  /// Draws the line anew.
  func draw(_ status: RecordingStatus) { draw { width in meterLine(status, width: width) } }

  /// Draws any line anew, told how wide it may be.
  func draw(_ line: (Int) -> String) {
    // A terminal that takes nothing (Ctrl-S) must not keep the session from signals and revocations.
    guard isShown, StandardStream.error.hasRoom else { return }
    let columns = Terminal.size(of: StandardStream.error.rawValue)?.columns ?? textWidth
    isDirty = true
    try? StandardStream.error.write("\r" + printable(line(columns - 1)) + "\u{1B}[K")
  }

  /// Removes the line, so that something else can be written.
  func clear() {
    guard isDirty, StandardStream.error.hasRoom else { return }
    isDirty = false
    try? StandardStream.error.write("\r\u{1B}[K")
  }
}
