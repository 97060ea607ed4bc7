import Audio
import CAllocations
import Foundation
import Linux
import Support
import Testing

@testable import PipeWire

@Suite("A capture of the graph", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(5)))
struct CaptureTests {
  /// An amplitude of −90 dB relative to full scale. A half second in which a busy graph skips a cycle
  /// has more of any frequency.
  private static let inaudible = 3e-5

  @Test("The graph follows nodes, programs and defaults")
  func graph() throws {
    let server = try PrivateServer()
    let (connection, registry) = try server.connect()
    #expect(registry.graph.sinks.map(\.name) == ["speaker"])
    #expect(registry.graph.defaultSink == "speaker" && registry.graph.defaultSource == "microphone")
    #expect(registry.graph.channels(of: .defaultMonitor) == ["FL", "FR"])
    try server.addNode("second", channels: "MONO")
    try eventually { registry.graph.channels(of: .monitor("second")) == ["MONO"] }
    try server.setDefault("second")
    try eventually { registry.graph.defaultSink == "second" }
    try server.play(440, as: "Beta")
    try eventually { registry.graph.nodes(of: .program("beta")).count == 1 }
    try server.removeNode("second")
    try eventually { registry.graph.sinks.map(\.name) == ["speaker"] }
    _ = connection
  }

  @Test("Every new connection immediately sees the whole graph")
  func wholeGraph() throws {
    let server = try PrivateServer()
    for _ in 0..<200 {
      let (connection, registry) = try server.connect()
      let graph = registry.graph
      #expect(graph.sinks.map(\.name) == ["speaker"] && graph.defaultSink == "speaker")
      _ = connection
    }
  }

  @Test("The default speaker's sound is recorded, also after the default has changed")
  func output() throws {
    let server = try PrivateServer()
    var capture = try server.capture(.defaultMonitor)
    #expect(capture.format.description == "48000 Hz, stereo, FLOAT")
    try capture.start()
    #expect(try capture.record(4_800).samples.allSatisfy { $0 == 0 })
    try server.play(440, as: "alpha")
    try capture.record { abs($0.amplitude(of: 440) - 0.25) < 0.02 }
    try server.addNode("second")
    try server.setDefault("second")
    try server.play(1_000, as: "beta")
    // A busy session manager does not always move the first player to the new speaker.
    try capture.record { $0.amplitude(of: 1_000) > 0.2 }
    // If the busy graph skips a cycle, the half second has a jump, which can cancel the tone.
    try capture.record(channel: 1) { $0.amplitude(of: 1_000) > 0.2 }
  }

  @Test("A program's sound is recorded without the sound of others, with later streams")
  func program() throws {
    let server = try PrivateServer()
    var capture = try server.capture(.program("ALPHA"))
    try capture.start()
    #expect(try capture.record(9_600).samples.allSatisfy { $0 == 0 })
    try server.play(440, as: "alpha")
    try server.play(1_000, as: "beta")
    try capture.record { $0.amplitude(of: 440) > 0.2 }
    try server.play(2_000, as: "alpha")
    try capture.record { $0.amplitude(of: 440) > 0.2 && $0.amplitude(of: 2_000) > 0.2 }
    try capture.record { $0.amplitude(of: 440) > 0.2 && $0.amplitude(of: 1_000) < Self.inaudible }
    #expect(try capture.record(4_800).missing == 0)
  }

  @Test("Several sources are recorded in the same cycles, each in its own channels")
  func sources() throws {
    let server = try PrivateServer()
    try server.play(440, as: "alpha")
    try server.play(1_000, as: "beta")
    var capture = try server.capture(.program("alpha"), .program("beta"), .defaultSource)
    try capture.start()
    try capture.record(channel: 1) {
      $0.amplitude(of: 440) > 0.2 && $0.amplitude(of: 1_000) < Self.inaudible
    }
    try capture.record(channel: 2) {
      $0.amplitude(of: 1_000) > 0.2 && $0.amplitude(of: 440) < Self.inaudible
    }
    #expect(try capture.record(4_800, channel: 5).samples.allSatisfy { $0 == 0 })
  }

  @Test("Sources with the same sound have it in the same frames, also if another node drives")
  func aligned() throws {
    let server = try PrivateServer()
    try server.play(440, as: "alpha")
    try server.linkPlayer("alpha", to: "microphone:input")
    var capture = try server.capture(.node("microphone"), .monitor("speaker"))
    try capture.start()
    try capture.record { $0.amplitude(of: 440) > 0.2 }
    try capture.record(channel: 2) { $0.amplitude(of: 440) > 0.2 }
    // Sources that are not aligned differ in nearly all frames. A cycle that a busy graph skips differs alone.
    let limit = 12_000
    #expect(try capture.differences(in: 24_000) < limit)
    for length in [256, 2_048, 512] {
      try server.setCycles(length)
      let different = try capture.differences(in: 24_000)
      #expect(different < limit, "cycles of \(length) frames")
    }
    // The virtual devices report a delay of 0.
    let offsets = capture.offsets()
    #expect(offsets == [nil, .zero])
    // Another node drives the graph, and then the former one again.
    try server.addNode(
      "third", class: "Audio/Source/Virtual", properties: "priority.driver=90000")
    try server.linkPlayer("alpha", to: "third:input")
    _ = try capture.record(24_000)
    #expect(try capture.differences(in: 24_000) < limit)
    try server.removeNode("third")
    _ = try capture.record(24_000)
    #expect(try capture.differences(in: 24_000) < limit)
    try capture.record { $0.amplitude(of: 440) > 0.2 }
    try capture.record(channel: 2) { $0.amplitude(of: 440) > 0.2 }
  }

  @Test(
    "The offset of a source is the difference of the delays that the devices report",
    .requires(package: "libpipewire-0.3"))
  func offsets() throws {
    let server = try PrivateServer()
    try server.run(
      """
      cc -o late "$root/Tests/PipeWire/late-microphone.c" \
        $(pkg-config --cflags --libs libpipewire-0.3)
      setpriv --pdeathsig KILL ./late >/dev/null 2>&1 &
      await 'pw-link -o | grep -q late:capture'
      """)
    let cases: [(Source.Kind, Source.Kind, Duration)] = [
      (.monitor("speaker"), .node("late"), .milliseconds(10)),
      (.node("late"), .monitor("speaker"), .milliseconds(-10)),
    ]
    for (first, second, expected) in cases {
      var capture = try server.capture(first, second)
      let offsets = capture.offsets
      try eventually { offsets() == [nil, expected] }
      capture.stop()
    }
  }

  @Test("A capture that is stopped and started again forgets the frames and losses before")
  func restarted() throws {
    let server = try PrivateServer()
    try server.addNode("second")
    var capture = try server.capture(.monitor("second"))
    try capture.start()
    _ = try capture.record(4_800)
    // These changes are not read.
    try server.removeNode("second")
    try server.addNode("second")
    try server.removeNode("second")
    try server.run("await '! pw-link -o | grep -q second:'")
    capture.stop()
    try capture.start()
    while try capture.record(4_800).missing < 4_800 {}
    try server.addNode("second")
    try server.play(440, as: "alpha")
    try server.linkPlayer("alpha", to: "second:playback")
    try capture.record { $0.amplitude(of: 440) > 0.2 }
    #expect(try capture.record(4_800).missing == 0)
  }

  @Test("Frames are read without allocations")
  func allocations() throws {
    let server = try PrivateServer()
    var capture = try server.capture(.defaultMonitor)
    try capture.start()
    var bytes = [UInt8](repeating: 0, count: 4_096 * capture.format.bytesPerFrame)
    var before = 0
    for round in 0...20 {
      // In the first round the runtime may create objects that it allocates only once.
      if round == 1 { before = allocations_of_this_thread() }
      _ = try capture.wait(upTo: .seconds(5), wake: -1)
      var span = bytes.mutableSpan
      var room = span.mutableBytes
      _ = try capture.read(into: &room)
      _ = try capture.timing()
    }
    let count = allocations_of_this_thread() - before
    #expect(count == 0)
  }

  @Test("A node that returns is recorded again, and its absence is counted")
  func returning() throws {
    let server = try PrivateServer()
    try server.addNode("second")
    var capture = try server.capture(.monitor("second"))
    try capture.start()
    #expect(try capture.record(9_600).missing == 0)
    try server.removeNode("second")
    while try capture.record(4_800).missing < 4_800 {}
    try server.addNode("second")
    try server.play(440, as: "alpha")
    try server.linkPlayer("alpha", to: "second:playback")
    try capture.record { $0.amplitude(of: 440) > 0.2 }
    #expect(try capture.record(4_800).missing == 0)
  }

  @Test("A silenced source is unlinked, also if its device returns, and does not count as missing")
  func silenced() throws {
    let server = try PrivateServer()
    try server.addNode("second")
    try server.play(440, as: "alpha")
    var capture = try server.capture(.monitor("second"), .program("alpha"))
    try capture.start()
    try capture.record(channel: 2) { $0.amplitude(of: 440) > 0.2 }
    capture.silence(TrackSet(index: 0))
    try server.run("await '! pw-link -l | grep -q second:monitor'")
    try server.removeNode("second")
    try server.addNode("second")
    let (_, registry) = try server.connect()
    try eventually { registry.graph.sinks.map(\.name) == ["second", "speaker"] }
    #expect(try capture.record(24_000).missing == 0)
    #expect(try !server.run("pw-link -l").contains("second:monitor"))
    try capture.record(channel: 2) { $0.amplitude(of: 440) > 0.2 }
  }

  @Test("Without a server, and with one that does not answer, the connection fails")
  func failures() throws {
    #expect(throws: ConnectionFailure.noServer) { _ = try Connection.open("/nowhere/pipewire-0") }
    let server = try PrivateServer()
    try server.run("\"$root\"/scripts/paced-card freeze")
    #expect(throws: ConnectionFailure.noAnswer(Connection.patience)) {
      _ = try Connection.open(server.socket)
    }
    try server.run("\"$root\"/scripts/paced-card thaw")
  }

  @Test("The end of the server ends the capture as a lost device")
  func killed() throws {
    let server = try PrivateServer()
    var capture = try server.capture(.defaultMonitor)
    try capture.start()
    _ = try capture.record(4_800)
    try server.run("\"$root\"/scripts/paced-card kill")
    var failure: ConnectionFailure?
    do {
      while true { _ = try capture.record(4_800) }
    } catch let error as ConnectionFailure {
      failure = error
    }
    #expect(failure == .ended && failure?.condition == .disconnected)
  }

  @Test("The time of a frozen server is counted as lost, or its frames arrive later")
  func frozen() throws {
    let server = try PrivateServer()
    var capture = try server.capture(.defaultMonitor)
    try capture.start()
    _ = try capture.record(4_800)
    let began = KernelClock.monotonic.now
    let before = try capture.timing()
    try server.run(
      "\"$root\"/scripts/paced-card freeze; sleep 1; \"$root\"/scripts/paced-card thaw")
    var (frames, lost) = (0, 0)
    while KernelClock.monotonic.now - began < .seconds(3) {
      let part = try capture.record(4_800)
      (frames, lost) = (frames + part.samples.count, lost + part.lost)
    }
    let after = try capture.timing()
    let passed = (after.instant - before.instant) / .seconds(1) * 48_000
    let counted = Double(frames + lost) + Double(after.available.value - before.available.value)
    print("frozen for 1 s: \(frames) frames, \(lost) lost, \(passed) passed")
    #expect(abs(counted - passed) < 4_800)
  }
}
