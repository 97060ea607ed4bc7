import Glibc
import Linux

/// All the attributes of a terminal, to compare before and after.
package struct TerminalState: Hashable, CustomStringConvertible {
  private let flags: [UInt32]
  private let characters: [UInt8]

  package init(of terminal: borrowing Descriptor) {
    var settings = termios()
    tcgetattr(terminal.number, &settings)
    flags = [
      settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag, settings.c_ispeed,
      settings.c_ospeed,
    ]
    characters = withUnsafeBytes(of: &settings.c_cc) { Array($0) }
  }

  package var description: String { "\(flags) \(characters)" }
}
