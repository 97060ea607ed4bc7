import Support
import Synchronization
import Testing

@testable import PipeWire

@Suite("The card of a microphone", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(5)))
struct CardTests {
  private static let refused = Graph.Card(number: 77, device: 3)

  private let server: PrivateServer

  init() throws { server = try PrivateServer() }

  private func addMicrophone(_ name: String, _ properties: String) throws {
    try server.addNode(name, class: "Audio/Source/Virtual", properties: properties)
  }

  @Test("Is known if its node has both of ALSA's numbers, with or without card profiles")
  func numbers() throws {
    try addMicrophone("profile", "alsa.card=77 alsa.device=3 api.alsa.pcm.card=77")
    try addMicrophone("plain", "api.alsa.pcm.card=78 api.alsa.pcm.device=0")
    try addMicrophone("incomplete", "api.alsa.path=\"front:77\" api.alsa.pcm.card=77 alsa.id=PCH")
    let (connection, registry) = try server.connect()
    func cards(_ name: String) -> [Graph.Card?] { registry.graph.cards(of: .node(name)) }
    #expect(cards("profile") == [Self.refused])
    #expect(cards("plain") == [Graph.Card(number: 78, device: 0)])
    #expect(cards("incomplete") == [nil] && cards("microphone") == [nil])
    #expect(cards("none").isEmpty && registry.graph.cards(of: .defaultMonitor).isEmpty)
    try addMicrophone("later", "alsa.card=79 alsa.device=0")
    try eventually { cards("later") == [Graph.Card(number: 79, device: 0)] }
    _ = connection
  }

  @Test("Is checked before it is recorded: a refused one delivers no sound")
  func refused() throws {
    try addMicrophone("refused", "alsa.card=77 alsa.device=3")
    try server.play(440, as: "alpha")
    try server.linkPlayer("alpha", to: "refused:input")
    var capture = try server.capture(.defaultSource, .monitor("speaker"))
    let asked = Mutex<[[Graph.Card?]]>([])
    capture.guardCards { cards in
      asked.withLock { $0.append(cards) }
      return !cards.contains(Self.refused)
    }
    #expect(asked.withLock { $0 } == [[nil]])
    try capture.start()
    #expect(try capture.record(4_800).missing == 0)
    try server.setDefault("refused", asMicrophone: true)
    var missing = 0
    while missing < 48_000 {
      let read = try capture.record(4_800)
      #expect(read.samples.allSatisfy { $0 == 0 })
      missing += read.missing
    }
    #expect(asked.withLock { $0.last } == [Self.refused])
    // The other source has the player's sound all the time.
    try capture.record(channel: 2) { $0.amplitude(of: 440) > 0.2 }
    try server.setDefault("microphone", asMicrophone: true)
    while try capture.record(4_800).missing > 0 {}
    #expect(asked.withLock { $0.last } == [nil])
  }

  @Test("Is checked immediately if it is refused when the check begins")
  func refusedAtOnce() throws {
    try addMicrophone("refused", "alsa.card=77 alsa.device=3")
    try server.play(440, as: "alpha")
    try server.linkPlayer("alpha", to: "refused:input")
    var capture = try server.capture(.node("refused"), .monitor("speaker"))
    capture.guardCards { !$0.contains(Self.refused) }
    try capture.start()
    let read = try capture.record(24_000)
    #expect(read.missing == read.samples.count && read.samples.allSatisfy { $0 == 0 })
    // The first capture stays open: PipeWire 0.3 may silence a player between two captures.
    var allowed = try server.capture(.node("refused"), .monitor("speaker"))
    allowed.guardCards { $0 == [Self.refused] }
    try allowed.start()
    try allowed.record { $0.amplitude(of: 440) > 0.2 }
  }
}
