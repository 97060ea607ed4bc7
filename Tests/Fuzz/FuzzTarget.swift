import Glibc
import Linux

/// A reader of what others may have written, and all that is done with what it reads.
struct FuzzTarget: Sendable {
  /// The name of its corpus, too.
  let name: String
  /// Reads such bytes; ends the process where a promise is broken.
  let run: @Sendable ([UInt8]) -> Void

  static let all =
    [
      store, policy, request, reply, announcement, audit, decoder, graph, theme, sound, part,
    ] + [MutantSubject.journal, .record, .sidecar, .catalogue, .saved].map(FuzzTarget.init)

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.run = run
  }

  private init(_ subject: MutantSubject) {
    self.init(subject.name) { demandHarmless(subject.show($0)) }
  }
}

/// Ends the process where a promise is broken; a release build of a precondition would not say which.
func demand(_ isKept: Bool, _ broken: @autoclosure () -> String) {
  guard !isKept else { return }
  let line = Array("BROKEN: \(broken())\n".utf8)
  _ = write(2, line, line.count)
  abort()
}

/// Ends the process where a text that is to be shown could command a terminal.
func demandHarmless(_ text: String) {
  for scalar in text.unicodeScalars where scalar != "\n" {
    demand(
      scalar.isHarmlessOnTerminal, "U+\(String(scalar.value, radix: 16)) would reach a terminal")
  }
}
