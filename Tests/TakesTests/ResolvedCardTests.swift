import Audio
import Control
import Testing

@testable import Devices
@testable import Permission
@testable import Takes

@Suite("The card behind a name")
struct ResolvedCardTests {
  private static func plan(_ devices: [String]) -> CapturePlan {
    var plan = CapturePlan(device: devices[0])
    plan.tracks = devices.map { Track(device: $0) }
    return plan
  }

  private static func opened(_ cards: OpenedCard?..., by devices: String...) -> RequestedDevice {
    RequestedDevice(opened: cards, for: plan(devices).tracks)
  }

  private static var policies: Policies {
    let rule = Rule(devices: [Glob("hw:*")].compactMap(\.self), status: .restricted)
    return .usable([Policy(file: "/p/1.json", rules: [rule], allowsPrompt: true)])
  }

  @Test("Does not exist for an output or a program, which need the other service")
  func services() {
    for device in ["output", "output:speaker", "app:player"] {
      #expect(CapturePlan(device: device).services == [.systemAudio])
      #expect(RequestedDevice(resolving: device, among: []) == .unresolved)
      #expect(Self.opened(by: device) == .unresolved)
    }
    #expect(CapturePlan(device: "test:tone").services == [.microphone])
    #expect(CapturePlan(device: "default").services == [.microphone])
  }

  @Test("Is unknown if the driver reports none; a built-in device counts as a card of its name")
  func names() throws {
    #expect(Self.opened(nil, by: "hw:0,0") == .unresolved)
    #expect(Self.opened(by: "test:tone") == .card(names: ["test:tone"]))
    guard case .card(let names) = Self.opened(OpenedCard(number: 97, device: 2), by: "x") else {
      Issue.record("a card that was opened is known")
      return
    }
    #expect(names.contains("hw:97,2") && names.contains("plughw:CARD=97,DEV=2"))
  }

  @Test("Is found by the bytes of its name")
  func bytes() {
    let card = DeviceDescription.Card(
      number: 0, id: "K", name: "", driver: "", device: 0, subdevices: 1, free: 1)
    let device = DeviceDescription(
      name: "hw:CARD=K,DEV=0", title: "", direction: .capture, origin: .kernel(card), holders: [])
    #expect(RequestedDevice(resolving: "hw:K,0", among: [device]) != .unresolved)
    #expect(RequestedDevice(resolving: "hw:\u{212A},0", among: [device]) == .unresolved)
  }

  @Test("Is one for each microphone of several tracks, also if some are unknown")
  func tracks() {
    let (room, exam) = (OpenedCard(number: 97, device: 0), OpenedCard(number: 98, device: 0))
    let (one, other) = (Self.opened(room, by: "hw:97"), Self.opened(exam, by: "hw:98"))
    let both = Self.opened(room, exam, by: "default", "pipewire:NODE=exam", "output")
    #expect(both == .several([one, other]))
    #expect(Self.opened(room, nil, by: "default", "pipewire") == .several([one, .unresolved]))
    #expect(Self.opened(room, by: "default", "output") == one)
    #expect(
      Self.opened(by: "test:tone", "test:ramp")
        == .several([.card(names: ["test:tone"]), .card(names: ["test:ramp"])]))
  }

  @Test("Is looked up before the device is open only if a policy depends on it")
  func before() {
    let plan = Self.plan(["test:tone"])
    #expect(RequestedDevice(of: plan, for: .none) == .unresolved)
    #expect(RequestedDevice(of: plan, for: Self.policies) == .card(names: ["test:tone"]))
    #expect(
      RequestedDevice(of: Self.plan(["test:tone", "test:ramp"]), for: Self.policies)
        == .several([.card(names: ["test:tone"]), .card(names: ["test:ramp"])]))
    #expect(RequestedDevice(of: Self.plan(["hw:97", "output"]), for: Self.policies) == .unresolved)
    #expect(
      RequestedDevice(of: Self.plan(["test:tone", "hw:97"]), for: Self.policies)
        == .several([.card(names: ["test:tone"]), .unresolved]))
  }

  @Test("Is looked up after the opening as well only if a policy depends on it, also a later one")
  func after() throws {
    let cards = try CardAccess(
      Self.plan(["test:tone"]), .current(), AccessQuery(), allowedAlone: [])
    #expect(cards.found(for: Self.policies) == .card(names: ["test:tone"]))
    let plugin = try CardAccess(Self.plan(["x"]), .current(), AccessQuery(), allowedAlone: [])
    for number in [97, 98] {
      let card = OpenedCard(number: number, device: 0)
      plugin.take([card])
      #expect(plugin.found(for: .none) == .unresolved)
      #expect(plugin.found(for: Self.policies) == Self.opened(card, by: "x"))
    }
  }
}
