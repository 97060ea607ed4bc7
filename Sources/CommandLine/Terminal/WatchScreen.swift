package import Linux

/// A terminal on which a command redraws a page until `q` or a signal ends it.
final class WatchScreen {
  private var keyboard: Keyboard?
  private let signals: Signals
  private let drawing = Drawing.current
  private var page = ""
  private var drawn: Duration?

  /// The interval of pages on a terminal that cannot clear them and would fill up.
  private static let pace = Duration.seconds(1)

  /// Takes over the keys and the signals of the terminal.
  init() throws(Failure) {
    do throws(SystemError) {
      signals = try Signals([.interrupt, .terminate, .quit, .hangUp, .terminalStop])
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
      // The terminal's mode is restored before this process stops or ends.
      keyboard = nil
      arrival.signal.obey()
      keyboard = .usable()
    }
    return keyboard?.typed.contains(UInt8(ascii: "q")) ?? false
  }

  /// Draws a page in place of the last one.
  func draw(_ text: String) throws(SystemError) {
    let now = KernelClock.monotonic.now
    if drawing.isDumb {
      guard text != page, drawn.map({ now - $0 >= Self.pace }) ?? true else { return }
    }
    (page, drawn) = (text, now)
    try StandardStream.output.write(drawing.page(text))
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

  /// The bytes typed since the last call, at most 64; empty if there are none.
  package var typed: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    guard let count = try? terminal.readIfReady(into: &bytes) else { return [] }
    return Array(bytes[..<count])
  }
}
