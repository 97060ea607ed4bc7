import Glibc
import Linux

/// A reader of untrusted data, and everything that is done with its result.
struct FuzzTarget: Sendable {
  /// The name of the target and of its corpus.
  let name: String
  /// Reads an input. Ends the process if a promise is broken.
  let run: @Sendable ([UInt8]) -> Void

  static let all =
    [
      store, policy, request, reply, packets, announcement, audit, decoder, graph, theme, sound,
      part,
    ] + [MutantSubject.journal, .record, .sidecar, .catalogue, .saved].map(FuzzTarget.init)

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.run = run
  }

  private init(_ subject: MutantSubject) {
    self.init(subject.name) { demandHarmless(subject.show($0)) }
  }
}

/// Ends the process if a promise is broken, and prints the promise. In a release build,
/// `precondition` would not print it.
func demand(_ isKept: Bool, _ broken: @autoclosure () -> String) {
  guard !isKept else { return }
  let line = Array("BROKEN: \(broken())\n".utf8)
  _ = write(2, line, line.count)
  abort()
}

/// Ends the process if a text for the user could control a terminal.
func demandHarmless(_ text: String) {
  for scalar in text.unicodeScalars where scalar != "\n" {
    demand(
      scalar.isHarmlessOnTerminal, "U+\(String(scalar.value, radix: 16)) would reach a terminal")
  }
}
