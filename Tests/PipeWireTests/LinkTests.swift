import Audio
import Linux
import Support
import Testing

@testable import PipeWire

@Suite("The links of a capture", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(5)))
struct LinkTests {
  @Test("A device that the server does not link is refused immediately, with the server's reason")
  func refused() throws {
    let server = try PrivateServer()
    // The ports of a node without an adapter have its own format and not that of the graph.
    try server.run(
      """
      pw-cli create-node spa-node-factory '{ factory.name=audiotestsrc node.name=raw
        library.name=audiotestsrc/libspa-audiotestsrc media.class=Audio/Source
        object.linger=true }' >/dev/null
      await 'pw-link -o | grep -q raw:'
      """)
    let began = KernelClock.monotonic.now
    var failure: ConnectionFailure?
    do {
      _ = try server.capture(.node("raw"))
    } catch let error as ConnectionFailure {
      failure = error
    }
    guard case .unlinked(let reason) = failure else { throw failure ?? .ended }
    #expect(!reason.isEmpty && KernelClock.monotonic.now - began < Connection.patience)
  }

  @Test("A device that does not start is refused after 5 s")
  func inactive() throws {
    let server = try PrivateServer()
    try server.addFrozenMicrophone("frozen")
    #expect(throws: ConnectionFailure.inactive(source: 1, Connection.patience)) {
      _ = try server.capture(.monitor("speaker"), .node("frozen"))
    }
  }

  @Test("A device without ports is refused after 5 s, and recorded once it has them")
  func withoutPorts() throws {
    let server = try PrivateServer()
    let (connection, registry) = try server.connect()
    func capture() throws -> Capture {
      try Capture(
        [Source(.monitor("second"), channels: 2, named: [])], registry, connection,
        period: .milliseconds(20), buffer: .seconds(2))
    }
    // WirePlumber configures the ports of a new device, and admits new clients.
    try server.run(
      """
      mkfifo orders; pw-cli <orders >/dev/null & exec {orders}>orders
      create() {
        echo "create-node adapter { factory.name=support.null-audio-sink" \\
          "node.name=$1 media.class=Audio/Sink object.linger=true" \\
          "audio.position=[FL FR] }" >&$orders
      }
      create first; await 'pw-link -o | grep -q first:'
      manager=$(cat "$RECORDER_PACED_CARD_SESSION/wireplumber.pid"); kill -STOP "$manager"
      create second
      """)
    try eventually { registry.graph.sinks.map(\.name).contains("second") }
    #expect(throws: ConnectionFailure.inactive(source: 0, Connection.patience)) {
      _ = try capture()
    }
    try server.run(#"kill -CONT "$manager""#)
    var second = try capture()
    try second.start()
    #expect(try second.record(4_800).missing == 0)
  }

  @Test("A link that another program removed is created again")
  func unlinked() throws {
    let server = try PrivateServer()
    var capture = try server.capture(.defaultMonitor)
    try capture.start()
    try server.play(440, as: "alpha")
    try capture.record { $0.amplitude(of: 440) > 0.2 }
    try server.run("pw-link -d speaker:monitor_FL recorder:input_1")
    try capture.record { $0.amplitude(of: 440) > 0.2 }
    #expect(try capture.record(4_800).missing == 0)
  }

  @Test("A source with one channel has the mean of the channels of its device")
  func mono() throws {
    let server = try PrivateServer()
    try server.addNode("single", channels: "MONO")
    try server.setDefault("single")
    try server.run("await 'pw-metadata -n default 0 default.audio.sink | grep -q single'")
    var capture = try server.capture(.defaultMonitor, channels: 1)
    try capture.start()
    // The other speaker has two channels.
    try server.setDefault("speaker")
    try server.play(440, as: "alpha")
    try capture.record { abs($0.amplitude(of: 440) - 0.25) < 0.01 }
  }

  @Test("A link that the server refused is requested again")
  func refusedLater() throws {
    let server = try PrivateServer()
    var capture = try server.capture(.monitor("speaker"))
    try capture.start()
    func links(_ option: String) throws {
      try server.run(
        """
        pw-link \(option) speaker:monitor_FL recorder:input_1
        pw-link \(option) speaker:monitor_FR recorder:input_2
        """)
    }
    capture.silence(TrackSet(index: 0))
    try server.run("await '! pw-link -l | grep -q speaker:monitor'")
    // The server has only one link of two ports.
    try links("")
    capture.silence(TrackSet())
    while try capture.record(4_800).missing < 4_800 {}
    try links("-d")
    while try capture.record(4_800).missing > 0 {}
    try server.play(440, as: "alpha")
    try capture.record { $0.amplitude(of: 440) > 0.2 }
  }
}
