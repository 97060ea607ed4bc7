package import Linux

/// A terminal on which a command redraws a page until `q` or a signal ends it.
final class WatchScreen {
  private var keyboard: Keyboard?
  private let signals: Signals
  private let drawing = Drawing.current
  private var hint = KeyHint.watching
  private var lines: [String] = []
  private var drawn: Duration?

  /// The shortest interval between pages on a dumb terminal. Such a terminal cannot clear the
  /// previous page, so each page adds lines.
  private static let pace = Duration.seconds(1)

  /// Starts to read the keys and the signals of the terminal.
  init() throws {
    signals = try Signals([
      .interrupt, .terminate, .quit, .hangUp, .terminalStop, .windowChange,
    ])
    keyboard = .usable()
  }

  /// The descriptors to poll. They are readable after a key or a signal.
  var numbers: [Int32] { [signals.descriptor.number, keyboard?.number ?? -1] }

  /// Handles keys and signals. Returns true if `q` was typed.
  func isOver() -> Bool {
    while let signal = signals.next() {
      // The signal has ended the caller's wait, so the caller now draws a page for the new size.
      if signal == .windowChange { continue }
      // The terminal's mode is restored before this process stops or ends.
      keyboard = nil
      signal.obey()
      keyboard = .usable()
    }
    return hint.take(keyboard?.keys() ?? []).contains(.character("q"))
  }

  /// Draws a page over the previous page.
  func draw(_ page: LivePage, _ style: Style) throws(SystemError) {
    let now = KernelClock.monotonic.now
    let size = Terminal.size(of: StandardStream.output.rawValue)
    // The last column and the last line are not used, so that nothing wraps or scrolls.
    let rows = size.map { $0.rows > 1 ? $0.rows - 1 : .max } ?? .max
    let width = max(1, (size?.columns ?? textWidth) - 1)
    let view = page.lines(width: width, rows: drawing.isDumb ? .max : rows, style)
      .map { PrintableText.escape(page: $0, keeping: style.marks) }
    let lines = drawing.isDumb ? view : hint.below(view, width: width, rows: rows)
    if drawing.isDumb {
      guard lines != self.lines, drawn.map({ now - $0 >= Self.pace }) ?? true else { return }
    }
    (self.lines, drawn) = (lines, now)
    try StandardStream.output.write(drawing.page(lines))
  }
}

/// The keyboard of the terminal. While the object exists, each key can be read immediately, without
/// Return.
package final class Keyboard {
  private let terminal: Descriptor
  private let mode: TerminalMode

  /// Whether keys can be read: stdin is a terminal, and this process is in the foreground. Reading
  /// would stop a background job.
  package static var isUsable: Bool {
    let number = StandardStream.input.rawValue
    return Terminal.isTerminal(number) && Terminal.isForeground(number)
  }

  /// Returns the keyboard, or nil if keys cannot be read.
  package static func usable() -> Keyboard? { isUsable ? try? Keyboard() : nil }

  /// Opens the controlling terminal and turns off line mode until the object is released. Throws if
  /// there is no terminal.
  package init() throws(SystemError) {
    let terminal = try Descriptor(opening: "/dev/tty", [.readWrite, .nonBlocking])
    mode = try TerminalMode(.keyByKey, of: terminal.number)
    self.terminal = terminal
  }

  /// A descriptor that is readable after a key was pressed.
  package var number: Int32 { terminal.number }

  /// Returns the keys pressed since the last call.
  package func keys() -> [Key] {
    var bytes = typed
    // The bytes of an arrow key may arrive one by one.
    if bytes.last == 0x1B, (try? terminal.wait(upTo: Self.escapeTime)) == true { bytes += typed }
    return Key.all(in: bytes)
  }

  /// The time after an Escape byte until it counts as the Escape key.
  private static let escapeTime = Duration.milliseconds(50)

  /// The bytes typed since the last call; empty if there are none.
  private var typed: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    guard let count = try? terminal.readIfReady(into: &bytes) else { return [] }
    return Array(bytes[..<count])
  }
}
