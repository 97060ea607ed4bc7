import Control
import Devices
import Permission
import Synchronization
import Testing

@testable import Takes

@Suite("The card behind a name")
struct ListenedCardTests {
  private static let microphone = RequestedDevice.card(names: ["hw:0,0"])
  private static let examination = RequestedDevice.card(names: ["hw:1,0"])

  @Test("is looked up again, so that a rule applies to the card that replaced it")
  func replaced() {
    let found = Mutex(Self.microphone)
    let card = ListenedCard { found.withLock { $0 } }
    found.withLock { $0 = .unresolved }
    #expect(card.lookAgain() == nil && card.found == Self.microphone, "nothing is there to open")
    found.withLock { $0 = Self.examination }
    #expect(card.found == Self.microphone, "what is asked each second looks at no device")
    #expect(card.lookAgain() == Self.examination && card.found == Self.examination)
  }

  @Test("that was never known may be opened again")
  func unknown() {
    let card = ListenedCard { .unresolved }
    #expect(card.lookAgain() == .unresolved)
  }

  @Test("is the one that was opened until the next lookup, even if the name leads to another")
  func opened() {
    let card = ListenedCard { Self.microphone }
    card.take(opened: Self.examination)
    #expect(card.found == Self.examination)
    #expect(card.lookAgain() == Self.microphone && card.found == Self.microphone)
    card.take(opened: .unresolved)
    #expect(card.lookAgain() == Self.microphone, "its name still leads to a card")
  }

  @Test("does not exist for an output or a program, which need the other service")
  func services() {
    for device in ["output", "output:speaker", "app:player"] {
      #expect(CapturePlan(device: device).services == [.systemAudio])
      #expect(RequestedDevice(resolving: device, among: []) == .unresolved)
      #expect(RequestedDevice(opened: nil, by: device) == .unresolved)
    }
    #expect(CapturePlan(device: "test:tone").services == [.microphone])
    #expect(CapturePlan(device: "default").services == [.microphone])
  }

  @Test("is unknown if the driver reports none, and a built-in device is always itself")
  func names() {
    #expect(RequestedDevice(opened: nil, by: "hw:0,0") == .unresolved)
    #expect(RequestedDevice(opened: nil, by: "test:tone") == .card(names: ["test:tone"]))
    guard
      case .card(let names) = RequestedDevice(opened: OpenedCard(number: 97, device: 2), by: "x")
    else {
      Issue.record("a card that was opened is known")
      return
    }
    #expect(names.contains("hw:97,2") && names.contains("plughw:CARD=97,DEV=2"))
  }
}
