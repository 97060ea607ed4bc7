import Glibc
import Linux
import Permission
import Support
import Testing

@testable import CommandLine

/// The prompt in process, on a terminal of the test's own; nothing here controls this process.
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

  @Test("Time runs out, and half an answer is not left for the next who reads")
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

  @Test("Nobody is waited for longer than two minutes")
  func limit() { #expect(Prompt.limit == .seconds(120)) }

  @Test("Whoever never stops typing has not read the question")
  func flood() throws {
    let terminal = try PseudoTerminal()
    let before = TerminalState(of: terminal.terminal)
    let flood = try Typist(on: terminal, repeating: "y\n", every: .milliseconds(10))
    // On a busy machine whoever types may be kept from it for a while.
    #expect(try ask(terminal, quiet: .seconds(2)) == .answered(.notNow))
    #expect(!flood.join().contains("microphone"))
    #expect(TerminalState(of: terminal.terminal) == before)
  }

  @Test("A terminal in another program's mode is asked by lines all the same, and put back")
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

  @Test("Signals that stop or end the process do so after the terminal is restored")
  func signals() throws {
    let terminal = try PseudoTerminal()
    let before = TerminalState(of: terminal.terminal)
    for signal in [Signal.terminate, .hangUp, .quit, .terminalStop] {
      // Sent to this thread, which is the one that asks.
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
