import Foundation
import Linux
import Support
import Testing

extension MutantSubject: CustomTestStringConvertible {
  var testDescription: String { name }
}

@Suite("A modified file of recorder", .timeLimit(.minutes(30)))
struct MutantTests {
  @Test(
    "crashes and hangs nothing, and cannot control a terminal", arguments: MutantSubject.all)
  func mutants(subject: MutantSubject) throws {
    let count = isThorough ? 4_000 : 300
    var random = SeededGenerator(seed: 23)
    #expect(!subject.show(Array(subject.text.utf8)).isEmpty, "the file itself is understood")
    var understood = 0
    for number in 0..<count {
      let bytes = Mutant.bytes(of: Array(subject.text.utf8), &random)
      let shown = subject.show(bytes)
      if !shown.isEmpty { understood += 1 }
      let isHarmless = shown.unicodeScalars.allSatisfy { $0 == "\n" || $0.isHarmlessOnTerminal }
      #expect(isHarmless, "\(subject.name) \(number): \(String(decoding: bytes, as: UTF8.self))")
    }
    print("\(count) mutants of a \(subject.name), \(understood) of them shown")
  }
}
