import Control
import Linux
import Support
import Testing

@testable import Store

extension Host {
  fileprivate static func named(
    _ name: String, machine: String = "m1", boot: String? = "b1", processes: UInt64? = 1
  ) -> Host {
    Host(machine: machine, boot: boot, processes: processes, name: name)
  }

  fileprivate static let first = named("first")
  fileprivate static let second = named("second", machine: "m2", boot: "b2")
}

@Suite("Machines that share a home")
struct HostTests {
  @Test(
    "The host of a record says whether it is from here, from before, or from elsewhere",
    arguments: [
      (Host.first, Host.Relation.here),
      (.named("renamed", machine: "m9"), .here),
      (.named("first", boot: "b0"), .before),
      (.named("first", processes: 2), .before),
      (.named("first", boot: nil), .before),
      (.named("clone", boot: "b0"), .elsewhere),
      (.named("box", processes: 2), .elsewhere),
      (.second, .elsewhere),
      (.named("first", machine: "m2", boot: "b2"), .elsewhere),
    ])
  func relations(other: Host, relation: Host.Relation) {
    #expect(Host.first.relation(to: other) == relation)
  }

  @Test("Unknown hosts are never the same")
  func unknown() {
    let nobody = Host.named("x", boot: nil, processes: nil)
    #expect(!nobody.sharesProcesses(with: nobody))
  }

  @Test("A host is read back as it was written, and recognizes itself")
  func json() {
    #expect(Host(json: Host.first.json) == .first)
    #expect(Host(json: ["name": "x"]) == nil)
    #expect(Host.current.relation(to: .current) == .here)
  }

  @Test("Each machine has a state directory, which is the same after a restart")
  func claims() throws {
    let scratch = try ScratchDirectory()
    let home = scratch.path("state")
    let (first, second) = (
      MachineDirectories(home: home, host: .first), MachineDirectories(home: home, host: .second)
    )
    #expect(try first.claim() == home + "/machines/m1")
    #expect(first.others.isEmpty && second.others.map(\.path) == [home + "/machines/m1"])
    #expect(try second.claim() == home + "/machines/m2")
    #expect(first.others.map(\.host) == [.second])
    for host in [Host.named("first", boot: "b9"), .named("x", processes: 7)] {
      #expect(try MachineDirectories(home: home, host: host).claim() == first.state)
      #expect(second.others.map(\.host) == [host])
    }
  }

  @Test("A damaged host note is replaced by the next recording")
  func damagedClaim() throws {
    let scratch = try ScratchDirectory()
    let (first, second) = (
      MachineDirectories(home: scratch.path, host: .first),
      MachineDirectories(home: scratch.path, host: .second)
    )
    _ = try second.claim()
    try scratch.write("{\"machine\":", to: "machines/m2/machine.json")
    #expect(first.others.isEmpty)
    _ = try second.claim()
    #expect(first.others.map(\.host) == [.second])
  }

  private func store(_ scratch: borrowing ScratchDirectory, _ host: Host) throws -> MachineStore {
    let home = scratch.path("state")
    let state = try MachineDirectories(home: home, host: host).claim()
    return MachineStore(
      SessionPaths(state: state, runtime: scratch.path("run"), home: home), host: host)
  }

  private func record(_ part: String?, on host: Host) -> SessionRecord {
    var record = SessionRecord(
      identifier: "a1", name: SessionName.usual.text, process: 1, device: "test:ramp",
      path: "/a.wav", began: .seconds(1), on: host)
    record.parts = [part].compactMap(\.self).map { RecordedPart(path: $0) }
    return record
  }

  @Test("A recording of one machine is untouched by others until that machine is declared gone")
  func distant() throws {
    let scratch = try ScratchDirectory()
    var here = try store(scratch, .first)
    let there = try store(scratch, .second)
    let dead = record(try scratch.write("sound", to: ".a.wav.part"), on: .second)
    try there.sessions.publish(dead, as: .usual)
    #expect(here.sessions.distant.map(\.host) == [.second])
    #expect(here.deadSessions.interrupted.isEmpty && here.deadSessions.writer(of: dead) == dead)
    let status = try FileStatus(of: scratch.path(".a.wav.part"))
    #expect(here.deadSessions.record(ofPart: status, named: ".a.wav.part") == dead)
    #expect(here.sessions.location(of: dead) == .host("second"))
    here.gone = "second"
    #expect(here.sessions.distant.isEmpty && here.deadSessions.writer(of: dead) == nil)
    here.deadSessions.forget(dead)
    #expect(there.sessions.records.isEmpty)
  }

  @Test("A recording from before its machine's restart is dead, and delays no other")
  func restarted() throws {
    let scratch = try ScratchDirectory()
    let here = try store(scratch, .first)
    let there = try store(scratch, .second)
    let dead = record(try scratch.write("sound", to: ".a.wav.part"), on: .second)
    try there.sessions.publish(dead, as: .usual)
    #expect(
      here.sessions.distant.map(\.record) == [dead] && here.deadSessions.writer(of: dead) == dead)
    // Another container of that boot does not show whether the recording is dead.
    _ = try store(scratch, Host(machine: "m2", boot: "b2", processes: 9, name: "second"))
    #expect(here.sessions.distant.map(\.record) == [dead])
    _ = try store(scratch, Host(machine: "m2", boot: "b3", processes: 9, name: "second"))
    #expect(
      here.sessions.distant.isEmpty && here.sessions.listeners.isEmpty
        && here.deadSessions.writer(of: dead) == nil)
    #expect(
      here.sessions.hasEnded(Listener(.recording, dead, on: .second), waitingUpTo: .zero))
  }

  @Test("A container of the same machine holds a name even without a lock")
  func container() throws {
    let scratch = try ScratchDirectory()
    let box = try store(scratch, .named("box", processes: 2))
    let outside = try store(scratch, .first)
    let part = try scratch.write("sound", to: ".a.wav.part")
    try box.sessions.publish(record(part, on: box.host), as: .usual)
    #expect(outside.sessions.isLive(.usual) && outside.deadSessions.interrupted.isEmpty)
    #expect(outside.sessions.distant.map(\.host.name) == ["box"])
    // The same container after a restart. Its previous recording is dead.
    let again = try store(scratch, .named("box", processes: 3))
    #expect(!again.sessions.isLive(.usual) && again.deadSessions.interrupted.count == 1)
  }

  @Test("A record without a host is not read")
  func incomplete() throws {
    var members = try #require(record(nil, on: .first).json.object)
    #expect(SessionRecord(json: .object(members)) != nil)
    members["host"] = nil
    #expect(SessionRecord(json: .object(members)) == nil)
  }
}

@Suite("Finding the player")
struct PlayerPlacesTests {
  @Test("The address in the player's record comes first, then the usual one, each once")
  func sockets() throws {
    let scratch = try ScratchDirectory()
    let paths = PlayerPaths(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    #expect(paths.sockets == [paths.socket] && paths.record == nil)
    let record = PlayerRecord(process: 7, socket: "/elsewhere/_player.sock", host: .second)
    try paths.publish(record)
    #expect(paths.record == record)
    #expect(paths.sockets == ["/elsewhere/_player.sock", paths.socket])
    try scratch.write("{", to: "state/player.json")
    #expect(paths.record == nil)
    paths.withdraw()
    #expect(try Directory(scratch.path("state")).names().isEmpty)
  }

  @Test("A player may start without a check for another only if its lock and socket are free")
  func free() throws {
    let scratch = try ScratchDirectory()
    let paths = PlayerPaths(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    #expect(!paths.isFree)
    let directory = try PrivateDirectory.make(at: paths.user.state)
    _ = try PrivateDirectory.make(at: paths.user.runtime)
    #expect(paths.isFree)
    do {
      let lock = try FileLock(PlayerPaths.lock, in: directory, waitingUpTo: .seconds(1))
      #expect(!paths.isFree)
      withExtendedLifetime(lock) {}
    }
    #expect(paths.isFree)
    try scratch.write("", to: "run/_player.sock")
    #expect(!paths.isFree)
  }
}
