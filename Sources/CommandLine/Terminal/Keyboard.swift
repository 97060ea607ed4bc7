package import Linux

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
