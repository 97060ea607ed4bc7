import Glibc
import Linux
import Permission
import Support
import Testing

@testable import Commands

/// Tests of the prompt within this process, on the test's own terminal. That terminal does not
/// control this process.
@Suite("The prompt", .serialized)
struct PromptTests {
  private let question = Question(user: "alice")

  private func ask(
    _ terminal: borrowing PseudoTerminal, limit: Duration = .seconds(20),
    quiet: Duration = .milliseconds(100)
  ) throws -> Prompt.Ending {
    let prompt = try Prompt(on: try terminal.terminal.duplicate(), limit: limit, quiet: quiet)
    return prompt.ask(question)
  }

  @Test("The prompt times out, and leaves no partial answer for the next reader")
  func timeOut() throws {
    let terminal = try PseudoTerminal()
    let before = TerminalState(of: terminal.terminal)
    let typist = try Typist(on: terminal, [Question(user: "").choices: "y"])
    let start = KernelClock.monotonic.now
    #expect(try ask(terminal, limit: .milliseconds(400)) == .answered(.notNow))
    #expect(KernelClock.monotonic.now - start >= .milliseconds(400))
    #expect(TerminalState(of: terminal.terminal) == before)
    #expect(try !terminal.terminal.wait(upTo: .zero))
    typist.join()
  }

  @Test("The prompt waits for at most two minutes")
  func limit() { #expect(Prompt.limit == .seconds(120)) }

  @Test("A user who types continuously is not asked, and grants nothing")
  func flood() throws {
    let terminal = try PseudoTerminal()
    let before = TerminalState(of: terminal.terminal)
    let flood = try Typist(on: terminal, repeating: "y\n", every: .milliseconds(10))
    // On a busy machine the typing thread may pause for a while.
    #expect(try ask(terminal, quiet: .seconds(2)) == .answered(.notNow))
    #expect(!flood.join().contains("microphone"))
    #expect(TerminalState(of: terminal.terminal) == before)
  }

  @Test("The prompt reads lines on a terminal in raw mode, and restores that mode")
  func rawTerminal() throws {
    let terminal = try PseudoTerminal()
    let raw = try TerminalMode(.raw, of: terminal.terminal.number)
    let before = TerminalState(of: terminal.terminal)
    let typist = try Typist(on: terminal, [Question(user: "").choices: "y\r"])
    #expect(try ask(terminal) == .answered(.always))
    #expect(TerminalState(of: terminal.terminal) == before)
    typist.join()
    withExtendedLifetime(raw) {}
  }

  @Test("Signals that stop or end the process take effect after the terminal is restored")
  func signals() throws {
    let terminal = try PseudoTerminal()
    let before = TerminalState(of: terminal.terminal)
    for signal in [Signal.terminate, .hangUp, .quit, .terminalStop] {
      // The signal goes to this thread, which runs the prompt.
      let thread = pthread_self()
      let typist = try Typist(on: terminal) { text in
        if text.contains(Question(user: "").choices) { pthread_kill(thread, signal.rawValue) }
        return text.contains(Question(user: "").choices)
      }
      #expect(try ask(terminal) == .interrupted(by: signal))
      #expect(TerminalState(of: terminal.terminal) == before)
      typist.join()
    }
  }
}
