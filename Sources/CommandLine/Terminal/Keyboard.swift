package import Linux

/// The keys of the terminal, each as it is pressed, until this goes.
package final class Keyboard {
  private let terminal: Descriptor
  private let mode: TerminalMode

  /// Whether keys can be read without being stopped as a background job.
  package static var isUsable: Bool {
    let number = StandardStream.input.rawValue
    return Terminal.isTerminal(number) && Terminal.isForeground(number)
  }

  /// The keys; nil where they cannot be read.
  package static func usable() -> Keyboard? { isUsable ? try? Keyboard() : nil }

  package init() throws(SystemError) {
    let terminal = try Descriptor(opening: "/dev/tty", [.readWrite, .nonBlocking])
    mode = try TerminalMode(.keyByKey, of: terminal.number)
    self.terminal = terminal
  }

  /// Readable when a key was pressed.
  package var number: Int32 { terminal.number }

  /// What was typed since the last call.
  package var typed: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    guard let count = try? terminal.readIfReady(into: &bytes) else { return [] }
    return Array(bytes[..<count])
  }
}
