package import Linux

/// A terminal on which a command redraws a page until `q` or a signal ends it.
final class WatchScreen {
  private var keyboard: Keyboard?
  private let signals: Signals
  private let drawing = Drawing.current
  private var hint = KeyHint.watching
  private var lines: [String] = []
  private var drawn: Duration?

  /// The interval of pages on a terminal that cannot clear them and would fill up.
  private static let pace = Duration.seconds(1)

  /// Takes over the keys and the signals of the terminal.
  init() throws(Failure) {
    do throws(SystemError) {
      signals = try Signals([
        .interrupt, .terminate, .quit, .hangUp, .terminalStop, .windowChange,
      ])
    } catch {
      throw Failure(.failed, Message("cannot wait for signals: \(error)"))
    }
    keyboard = .usable()
  }

  /// The descriptors to poll; readable after a key or a signal.
  var numbers: [Int32] { [signals.descriptor.number, keyboard?.number ?? -1] }

  /// Reads keys and signals; returns true if `q` was typed.
  func isOver() -> Bool {
    while let arrival = signals.next() {
      // Its arrival has ended the wait for the next page, which is drawn for the new size.
      if arrival.signal == .windowChange { continue }
      // The terminal's mode is restored before this process stops or ends.
      keyboard = nil
      arrival.signal.obey()
      keyboard = .usable()
    }
    return hint.take(keyboard?.keys() ?? []).contains(.character("q"))
  }

  /// Draws a page in place of the last one.
  func draw(_ page: LivePage, _ style: Style) throws(SystemError) {
    let now = KernelClock.monotonic.now
    let size = Terminal.size(of: StandardStream.output.rawValue)
    // The last column and the last line stay free, so that nothing wraps or scrolls.
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

/// The keys of the terminal, read one by one until the object is released.
package final class Keyboard {
  private let terminal: Descriptor
  private let mode: TerminalMode

  /// True if reading keys does not stop this process as a background job.
  package static var isUsable: Bool {
    let number = StandardStream.input.rawValue
    return Terminal.isTerminal(number) && Terminal.isForeground(number)
  }

  /// The keyboard; nil if keys cannot be read.
  package static func usable() -> Keyboard? { isUsable ? try? Keyboard() : nil }

  /// Opens the controlling terminal and turns off line mode until the object is released; throws
  /// without a terminal.
  package init() throws(SystemError) {
    let terminal = try Descriptor(opening: "/dev/tty", [.readWrite, .nonBlocking])
    mode = try TerminalMode(.keyByKey, of: terminal.number)
    self.terminal = terminal
  }

  /// A descriptor that is readable after a key was pressed.
  package var number: Int32 { terminal.number }

  /// The keys pressed since the last call.
  package func keys() -> [Key] {
    var bytes = typed
    // The bytes of an arrow key may arrive one by one.
    if bytes.last == 0x1B, (try? terminal.wait(upTo: Self.escapeTime)) == true { bytes += typed }
    return Key.all(in: bytes)
  }

  /// The time after which an Escape is the key of that name.
  private static let escapeTime = Duration.milliseconds(50)

  /// The bytes typed since the last call; empty if there are none.
  private var typed: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    guard let count = try? terminal.readIfReady(into: &bytes) else { return [] }
    return Array(bytes[..<count])
  }
}
