import Glibc
import Support
import Testing

@testable import Linux

@Suite("Terminals")
struct TerminalTests {
  @Test("The mode is restored when its owner ends", arguments: [TerminalMode.Kind.raw, .keyByKey])
  func mode(kind: TerminalMode.Kind) throws {
    let terminal = try PseudoTerminal()
    let before = Self.flags(of: terminal.terminal.number)
    do {
      let mode = try TerminalMode(kind, of: terminal.terminal.number)
      let now = Self.flags(of: terminal.terminal.number)
      #expect(now & tcflag_t(ICANON | ECHO) == 0)
      #expect((now & tcflag_t(ISIG) == 0) == (kind == .raw))
      withExtendedLifetime(mode) {}
    }
    #expect(Self.flags(of: terminal.terminal.number) == before)
  }

  @Test("A file that is not a terminal is recognized")
  func noTerminal() throws {
    let file = try Descriptor(opening: "/dev/null", .readWrite)
    #expect(!Terminal.isTerminal(file.number))
    #expect(Terminal.size(of: file.number) == nil)
    #expect(!Terminal.isForeground(file.number))
    let error = #expect(throws: SystemError.self) { _ = try TerminalMode(.raw, of: file.number) }
    #expect(error?.errno == Errno(rawValue: ENOTTY))
  }

  @Test("A terminal reports its size, and discards text that was typed ahead")
  func typing() throws {
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    let number = terminal.terminal.number
    #expect(Terminal.isTerminal(number))
    #expect(Terminal.size(of: number) == .init(columns: 100, rows: 30))
    let mode = try TerminalMode(.keyByKey, of: number)
    try terminal.type("yyy")
    #expect(try terminal.terminal.wait(upTo: .seconds(5)))
    #expect(
      try Terminal.discardTypeAhead(
        terminal.terminal, untilQuietFor: .milliseconds(20), upTo: .seconds(5)))
    #expect(try !terminal.terminal.wait(upTo: .zero))
    withExtendedLifetime(mode) {}
  }

  @Test("A program on a controlling terminal finds it, and is in its foreground")
  func controlled() throws {
    let terminal = try PseudoTerminal()
    let child = try terminal.start(
      "sh", ["-c", "read answer </dev/tty; echo got $answer >/dev/tty"])
    try terminal.type("yes\n")
    try terminal.read(until: "got yes")
    #expect(try child.wait() == .exited(0))
  }

  @Test("A process knows whether it is in the foreground of its terminal")
  func foreground() async {
    await #expect(processExitsWith: .success) {
      // The terminal hangs up on its session when the test closes it.
      Signal.hangUp.ignore()
      let terminal = try PseudoTerminal()
      let number = terminal.terminal.number
      #expect(!Terminal.isForeground(number))
      #expect(setsid() > 0)
      #expect(ioctl(number, UInt(TIOCSCTTY), 0) == 0)
      #expect(Terminal.isForeground(number))
      let controlling = try Terminal.controlling()
      #expect(Terminal.isTerminal(controlling.number))
    }
  }

  private static func flags(of number: Int32) -> tcflag_t {
    var settings = termios()
    tcgetattr(number, &settings)
    return settings.c_lflag
  }
}
