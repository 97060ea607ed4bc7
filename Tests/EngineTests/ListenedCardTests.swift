import Permission
import Synchronization
import Testing

@testable import Engine

@Suite("The card behind a name")
struct ListenedCardTests {
  private static let microphone = AskedDevice.card(names: ["hw:0,0"])
  private static let examination = AskedDevice.card(names: ["hw:1,0"])

  @Test("is looked for again, so that a rule meets the one that came in its place")
  func replaced() {
    let found = Mutex(Self.microphone)
    let card = ListenedCard { found.withLock { $0 } }
    found.withLock { $0 = .unresolved }
    #expect(card.lookAgain() == nil && card.found == Self.microphone, "nothing is there to open")
    found.withLock { $0 = Self.examination }
    #expect(card.found == Self.microphone, "what is asked each second looks at no device")
    #expect(card.lookAgain() == Self.examination && card.found == Self.examination)
  }

  @Test("that never could be known may be opened again")
  func unknown() {
    let card = ListenedCard { .unresolved }
    #expect(card.lookAgain() == .unresolved)
  }
}
