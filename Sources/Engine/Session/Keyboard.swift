internal import Linux

/// The keys of the terminal, each as it is pressed, until this goes.
final class Keyboard {
  private let terminal: Descriptor
  private let mode: TerminalMode

  /// Whether keys can be read without being stopped as a background job.
  static var isUsable: Bool {
    let number = StandardStream.input.rawValue
    return Terminal.isTerminal(number) && Terminal.isForeground(number)
  }

  init() throws(SystemError) {
    let terminal = try Descriptor(opening: "/dev/tty", [.readWrite, .nonBlocking])
    mode = try TerminalMode(.keyByKey, of: terminal.number)
    self.terminal = terminal
  }

  /// Readable when a key was pressed.
  var number: Int32 { terminal.number }

  /// What was typed since the last call.
  var typed: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    guard let count = try? terminal.readIfReady(into: &bytes) else { return [] }
    return Array(bytes[..<count])
  }
}
