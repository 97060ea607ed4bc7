import Glibc
import Linux
import Support
import Testing

@testable import PipeWire

@Suite(
  "The program of a client", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(3)))
struct ClientProgramTests {
  private let server: PrivateServer
  private let connection: Connection
  private let registry: Registry

  init() throws {
    server = try PrivateServer()
    connection = try Connection.open(server.socket)
    registry = try Registry(connection, withClients: true)
  }

  /// A recording program: its identity and its own name.
  private struct Found: Hashable {
    let identity: ProgramIdentity
    let name: String?
  }

  /// Returns the programs that record from the microphone, after `count` of them do.
  private func listeners(_ count: Int) throws -> Set<Found> {
    var graph = Graph()
    try eventually {
      graph = registry.graph
      return Set(graph.uses.filter { !$0.isPlayed }.map(\.client)).count == count
    }
    var programs = ClientPrograms(of: graph)
    return Set(
      graph.uses.compactMap { use in
        programs.program(of: use.client).map {
          Found(identity: $0.identity, name: graph.clients[use.client]?.names.first)
        }
      })
  }

  /// Returns the identity of an installed program.
  private func identity(_ tool: String) throws -> ProgramIdentity {
    let path = try server.run("realpath \"$(command -v \(tool))\"")
    return .path(Path(path))
  }

  private func start(_ command: String) throws {
    try server.run("setpriv --pdeathsig KILL \(command) >/dev/null 2>&1 &")
  }

  private func startPulse() throws {
    try start("pipewire-pulse")
    try server.run("await [ -S \"$XDG_RUNTIME_DIR/pulse/native\" ]")
  }

  @Test("is its executable, and not the name that it gives itself")
  func native() throws {
    try start("pw-record -P '{ application.name=Innocent application.process.id=1 }' a.wav")
    #expect(try listeners(1).map(\.identity) == [identity("pw-record")])
    // Root owns the real session manager, too, but not the directory of this one.
    try server.run(
      """
      mkdir own; [ "$(id -u)" -ne 0 ] || chown 1 own
      cp -L "$(command -v pw-record)" own/wireplumber
      """)
    try start("./own/wireplumber --record b.wav")
    let home = try server.run("pwd -P")
    #expect(
      try Set(listeners(2).map(\.identity)) == [
        identity("pw-record"), .path(Path(home + "/own/wireplumber")),
      ])
  }

  @Test("can use a node without a name, which is in the graph")
  func nameless() throws {
    try server.run(
      """
      pw-cli create-node adapter '{ factory.name=support.null-audio-sink media.class=Audio/Sink
        object.linger=true audio.position=[ FL FR ] }' >/dev/null
      """)
    try eventually { registry.graph.nodes.values.contains { $0.isSink && $0.name.isEmpty } }
    #expect(registry.graph.sinks.allSatisfy { !$0.name.isEmpty })
  }

  @Test("can describe a node with a text of any length, whose beginning is kept")
  func longTitle() throws {
    let text = String(repeating: "x", count: 10_000)
    try server.addNode("long", properties: "node.description=\"\(text)\"")
    try eventually { registry.graph.nodes.values.contains { $0.name == "long" } }
    let node = registry.graph.nodes.values.first { $0.name == "long" }
    #expect(node?.title == String(text.prefix(Graph.Node.longestTitle)))
  }

  @Test("is found although the owner of a metadata object does not answer the server")
  func noAnswer() throws {
    try eventually { registry.graph.metadata.values.contains { $0.isDefault } }
    try server.run("kill -STOP $(cat \"$RECORDER_PACED_CARD_SESSION/wireplumber.pid\")")
    let other = try Registry(connection, withClients: true)
    #expect(!other.graph.clients.isEmpty)
    try server.run("kill -CONT $(cat \"$RECORDER_PACED_CARD_SESSION/wireplumber.pid\")")
    let number = try #require(other.graph.metadata.first { $0.value.isDefault }?.key)
    #expect(other.graph.metadata[number]?.values.isEmpty == true)
    other.follow(metadata: number)
    try eventually { other.graph.metadata[number]?.values.isEmpty == false }
  }

  @Test("is no news when it ends, unless it had a node or another client claims its process")
  func quietEnd() throws {
    try server.run("mkfifo words; exec 9<>words")
    for (words, program, count, isNews) in [
      ("help", "pw-cli <words", 1, false), ("connect", "pw-cli <words", 2, true),
      ("help", "pw-record a.wav", 1, true),
    ] {
      let before = Set(registry.graph.clients.keys)
      try server.run("echo \(words) >&9")
      try start("\(program) 9>&-")
      try eventually { Set(registry.graph.clients.keys).subtracting(before).count == count }
      if program == "pw-record a.wav" { try eventually { !registry.graph.uses.isEmpty } }
      try connection.roundTrip()
      _ = registry.graph
      registry.takeChange()
      try server.run("kill $!")
      try eventually { Set(registry.graph.clients.keys) == before }
      var poll = Poll(capacity: 1)
      let index = poll.add(registry.number)
      try poll.wait(upTo: .zero)
      #expect(!poll[index].isEmpty == isNews, "\(words) \(program)")
    }
  }

  @Test("has a serial number, and the server a random number")
  func numbers() throws {
    let number = try server.run("pw-cli info 0 | sed -n 's/.*cookie: *//p'")
    #expect(registry.graph.server.map { "\($0)" } == number)
    #expect(registry.graph.clients.values.allSatisfy { UInt64($0.serial) != nil })
  }

  @Test(
    "behind pipewire-pulse is the process that is connected to it",
    .requires(tool: "pipewire-pulse"), .requires(tool: "parecord"))
  func pulse() throws {
    try startPulse()
    try start("parecord a.wav")
    #expect(
      try listeners(1) == [Found(identity: identity("parecord"), name: "parecord")])
    // A process in a PID namespace reports its number in it.
    guard try server.run("unshare -Ur --pid --fork true && echo yes || :") == "yes" else { return }
    try start(
      "unshare -Ur --pid --fork --kill-child --mount-proc parecord --client-name=boxed b.wav")
    #expect(
      try listeners(2).contains(Found(identity: identity("parecord"), name: "boxed")))
  }

  @Test(
    "behind pipewire-pulse is unknown if the client claims the number of another process",
    .requires(tool: "pipewire-pulse"), .requires(tool: "parecord"))
  func forged() throws {
    try startPulse()
    let unknown = ProgramIdentity.unknown(.unconfirmed)
    try server.run(
      """
      PULSE_PROP="application.process.id=1 client.api=native" \\
        setpriv --pdeathsig KILL parecord a.wav >/dev/null 2>&1 & first=$!
      """)
    #expect(try listeners(1).map(\.identity) == [unknown])
    try server.run("kill $first")
    _ = try listeners(0)
    try server.run("setpriv --pdeathsig KILL pactl subscribe >/dev/null & other=$!")
    try server.run("await 'pactl list short clients | grep -q pactl'")
    // The other process has one connection, but two clients would have its number.
    try server.run(
      """
      PULSE_PROP="application.process.id=$other" \\
        setpriv --pdeathsig KILL parecord b.wav >/dev/null 2>&1 &
      """)
    #expect(try listeners(1).map(\.identity) == [unknown])
    guard try server.run("unshare -Ur --pid --fork true && echo yes || :") == "yes" else { return }
    try start(
      "unshare -Ur --pid --fork --kill-child --mount-proc parecord --client-name=boxed c.wav")
    _ = try listeners(2)
    // The sandboxed program has another number in its own namespace, which its client reports.
    try server.run(
      """
      PULSE_PROP="application.process.id=$(pgrep -P $!)" \
        setpriv --pdeathsig KILL parecord d.wav >/dev/null 2>&1 &
      """)
    #expect(
      try listeners(3) == [
        Found(identity: unknown, name: "parecord"),
        Found(identity: identity("parecord"), name: "boxed"),
      ])
  }

  @Test(
    "behind pipewire-pulse stays known if another sandbox has a process with the same number",
    .requires(tool: "pipewire-pulse"), .requires(tool: "parecord"))
  func sandboxes() throws {
    guard try server.run("unshare -Ur --pid --fork true && echo yes || :") == "yes" else { return }
    try startPulse()
    let command = "unshare -Ur --pid --fork --kill-child --mount-proc parecord"
    try start(command + " a.wav")
    _ = try listeners(1)
    let graph = registry.graph
    let client = try #require(graph.uses.filter { !$0.isPlayed }.map(\.client).first)
    var programs = ClientPrograms(of: graph)
    let program = programs.program(of: client)
    let process = try #require(program?.process)
    #expect(try program?.identity == identity("parecord"))
    try start(command + " b.wav")
    _ = try listeners(2)
    var later = ClientPrograms(of: registry.graph)
    let new = later.program(of: client)
    #expect(new?.identity == ProgramIdentity.unknown(.unconfirmed))
    let known = later.program(of: client, formerly: process)
    #expect(known?.process == process)
  }
}
