import Linux
import Permission
import Support
import Testing

@testable import Guard
@testable import PipeWire

@Suite("The programs of connections")
struct GuardedProgramsTests {
  private var programs = GuardedPrograms()
  private var graph = Graph()
  private var examinations = 0

  init() { graph.clients[40] = Graph.Client(process: 7, claimedProcess: 99) }

  private static let unknown = RunningProgram(7, unknown: .unconfirmed)

  /// Asks twice for the program of a connection after a change of the graph. Returns how often it
  /// has been examined.
  private mutating func look(_ result: RunningProgram? = unknown) -> Int {
    programs.follow(graph)
    for _ in 0..<2 {
      var count = examinations
      let program = programs.program(of: 40, in: graph) { _ in
        count += 1
        return result
      }
      examinations = count
      #expect(program == result)
    }
    return examinations
  }

  /// Returns the program of the connection at a time, if an examination has this result.
  private mutating func program(_ result: RunningProgram, at second: Double) -> RunningProgram? {
    let now = Duration.milliseconds(Int(second * 1_000))
    programs.follow(graph, at: now)
    var count = examinations
    let program = programs.program(of: 40, in: graph, at: now) { _ in
      count += 1
      return result
    }
    examinations = count
    return program
  }

  @Test("A program that stays unknown is examined three times, although other connections change")
  mutating func unknown() {
    #expect((1...3).map { _ in look() } == [1, 2, 3])
    for number in UInt32(100)..<1_100 {
      graph.links[number] = Graph.Link(output: number, input: number)
      graph.clients[number] = Graph.Client(process: 8, claimedProcess: 99)
      #expect(look() == 3)
    }
  }

  @Test("It is examined again when its own facts or the claims of its process change")
  mutating func changed() {
    for _ in 0..<5 { _ = look() }
    graph.clients[41] = Graph.Client(process: 7, claimedProcess: 99)
    #expect(look() == 4)
    for _ in 0..<5 { _ = look() }
    graph.clients[41] = nil
    #expect(look() == 7)
    for _ in 0..<5 { _ = look() }
    graph.clients[40]?.claimedProcess = 98
    #expect(look() == 10)
  }

  @Test("A program that changes its names is not examined again", arguments: [true, false])
  mutating func renamed(isKnown: Bool) {
    let program = isKnown ? RunningProgram(Environment.processIdentifier) : Self.unknown
    for _ in 0..<5 { _ = look(program) }
    let count = examinations
    for number in 0..<100 {
      graph.clients[40]?.names = ["\(number)"]
      #expect(look(program) == count)
    }
  }

  @Test("A known program and the server itself are examined once", arguments: [true, false])
  mutating func known(isServer: Bool) {
    let program = isServer ? nil : RunningProgram(Environment.processIdentifier)
    for _ in 0..<5 { #expect(look(program) == 1) }
    let isRegular = programs.deadline != nil
    #expect(isRegular != isServer)
  }

  @Test("A known program is examined again when the claims of its process change, and regularly")
  mutating func forged() {
    let known = RunningProgram(Environment.processIdentifier)
    #expect(program(known, at: 100) == known)
    graph.clients[41] = Graph.Client(process: 7, claimedProcess: 99)
    #expect(program(known, at: 101) == known)
    #expect(examinations == 2)
    // The other program is unknown as well a second later, and stays so until the claims change.
    graph.clients[42] = Graph.Client(process: 7, claimedProcess: 99)
    #expect(program(Self.unknown, at: 102) == known)
    #expect(examinations == 3)
    #expect(programs.deadline == Duration.seconds(103))
    #expect(program(Self.unknown, at: 103) == Self.unknown)
    graph.clients[42] = nil
    #expect(program(known, at: 104) == known)
    #expect(program(known, at: 105) == known)
    #expect(examinations == 5)
    #expect(programs.deadline == Duration.seconds(110))
    #expect(program(known, at: 110) == known)
    #expect(examinations == 6)
  }

  @Test("A program stays known if its examination fails for less than a second")
  mutating func transient() {
    let known = RunningProgram(Environment.processIdentifier)
    #expect(program(known, at: 100) == known)
    // The server reports the end of several connections one after the other.
    let changes: [(UInt32, Double)] = [(41, 101), (42, 101.5)]
    for (number, second) in changes {
      graph.clients[number] = Graph.Client(process: 7, claimedProcess: 99)
      #expect(program(Self.unknown, at: second) == known)
    }
    #expect(program(known, at: 102) == known)
    #expect(examinations == 4)
    #expect(programs.deadline == Duration.seconds(110))
  }

  @Test("A program that was known before is examined regularly")
  mutating func renewed() {
    let known = RunningProgram(Environment.processIdentifier)
    #expect(program(known, at: 100) == known)
    graph.clients[41] = Graph.Client(process: 7, claimedProcess: 99)
    #expect(program(Self.unknown, at: 101) == known)
    for second in 102..<107 { #expect(program(Self.unknown, at: Double(second)) == Self.unknown) }
    #expect(examinations == 5)
    #expect(programs.deadline == Duration.seconds(110))
    #expect(program(known, at: 110) == known)
  }

  @Test("An examination receives the former process of the connection")
  mutating func formerProcess() {
    let number = Environment.processIdentifier
    var received: [Int32?] = []
    for second in [100, 110] {
      programs.follow(graph, at: .seconds(second))
      _ = programs.program(of: 40, in: graph, at: .seconds(second)) { former in
        received.append(former)
        return RunningProgram(number)
      }
    }
    #expect(received == [nil, number])
  }

  @Test("A process that executes another program is the other program from then on")
  mutating func executed() throws {
    let input = try Descriptor.pipe()
    var spawn = Spawn("/bin/sh", ["-c", "read word; exec /bin/sleep 60"])
    spawn.descriptors = [input.reading.number, nil, nil]
    let child = try spawn.start()
    let number = child.identifier
    defer {
      try? child.send(.kill)
      _ = try? child.hasEnded(within: .seconds(10))
    }
    graph.clients[40] = Graph.Client(process: number)
    let former = RunningProgram(number)
    #expect(look(former) == 1)
    let line = Array("\n".utf8)
    try input.writing.writeAll(line.span)
    try eventually { RunningProgram(number).identity != former.identity }
    #expect(look(RunningProgram(number)) == 2)
  }

  @Test("A connection whose process has ended is not that of a later process with its number")
  mutating func endedProcess() throws {
    let child = try Spawn("/bin/sleep", ["60"]).start()
    let number = child.identifier
    graph.clients[41] = Graph.Client(process: number, serial: "41")
    programs.follow(graph)
    let later = RunningProgram(Environment.processIdentifier)
    try child.send(.kill)
    _ = try child.wait()
    let program = programs.program(of: 41, in: graph) { _ in later }
    #expect(program == RunningProgram(number, unknown: .ended))
  }

  @Test("A script is shown after the name of its interpreter")
  func title() throws {
    let child = try Spawn("/bin/sleep", ["60"]).start()
    defer {
      try? child.send(.kill)
      _ = try? child.hasEnded(within: .seconds(10))
    }
    var program = RunningProgram(child.identifier)
    let name = program.title
    program.script = "/opt/zoom/zoom"
    #expect(!name.isEmpty && program.title == name + " (/opt/zoom/zoom)")
    #expect(Self.unknown.title == "an unknown program")
  }

  @Test("No two connections have the same session, even with the number of a former one")
  mutating func sessions() throws {
    var sessions: Set<SessionID> = []
    for server in [UInt32.zero, .max] {
      graph.server = server
      for serial in ["\(UInt64.zero)", "\(UInt64.max)"] {
        graph.clients[40] = Graph.Client(process: 7, serial: serial)
        sessions.insert(try #require(SessionID(of: 40, in: graph)))
      }
    }
    #expect(sessions.count == 4)
    #expect(SessionID(of: 41, in: graph) == nil)
    graph.clients[40]?.serial = ""
    #expect(SessionID(of: 40, in: graph) == nil)
  }

  @Test("A later connection with the same number is another one")
  mutating func reused() {
    for _ in 0..<5 { #expect(look(nil) == 1) }
    let client = graph.clients.removeValue(forKey: 40)
    programs.follow(graph)
    graph.clients[40] = client
    #expect(look(nil) == 2)
  }
}
