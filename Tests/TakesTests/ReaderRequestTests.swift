import Audio
import JSON
import Linux
import Support
import Synchronization
import Testing

@testable import Control
@testable import Permission
@testable import Takes

@Suite("A request to read a take", .timeLimit(.minutes(10)))
final class ReaderRequestTests {
  private let scratch: ScratchDirectory
  private let access: TestAccess
  private static let tracks = [
    Track(name: "mic", device: "default"), Track(name: "far", device: "output"),
  ]

  init() throws {
    scratch = try ScratchDirectory()
    access = try TestAccess(in: scratch.path)
  }

  private struct NoTap: Error {
    let refusal: Refusal?
  }

  private func tap(
    _ session: SessionController, _ arguments: JSONObject = [:]
  ) throws -> Reading {
    let ticket = Ticket(connection: 1, request: 1, process: Environment.processIdentifier)
    switch session.answer(ticket, Control.Request("tap", arguments)) {
    case .handOver(_, let take):
      let pair = try UnixSocket.pair()
      take(pair.first, [])
      return Reading(pair.second)
    case .reply(.refused(let refusal)): throw NoTap(refusal: refusal)
    case .reply(.done), .later, .watch: throw NoTap(refusal: nil)
    }
  }

  /// Returns the refusal of a request, or nil if its client becomes a reader and leaves.
  private func refusal(
    _ session: SessionController, _ arguments: JSONObject = [:]
  ) throws -> Refusal? {
    do {
      _ = try tap(session, arguments)
      return nil
    } catch let error as NoTap {
      return error.refusal
    }
  }

  @Test("gets the frames of the take from the request to the end of the take")
  func frames() throws {
    let session = try startSession(in: scratch, "talk", access: access)
    var reading = try tap(session)
    try eventually {
      try reading.receive()
      return reading.numbers.count > 4_800
    }
    session.end(.stopped)
    try eventually { session.take.recording.end != nil }
    session.take.taps.end()
    session.take.taps.drain(upTo: .seconds(10), patience: .zero)
    try reading.receive()
    let first = try #require(reading.numbers.first)
    #expect(firstBreak(in: reading.numbers, from: first) == nil && reading.lost == 0)
    #expect(first > 0)
    #expect(reading.numbers.last.map { Int64($0) + 1 } == session.result.frames.onDisk.value)
    #expect(reading.end == .done)
    let events = try access.authority.store.audit.log().entries.map(\.json)
    #expect(events.last?["event"]?.string == "tap")
    #expect(events.last?["pid"]?.integer == Int64(Environment.processIdentifier))
  }

  @Test("ends alone if the reader loses its permission")
  func loss() throws {
    let session = try startSession(in: scratch, "talk", access: access)
    var lost = try tap(session)
    try access.revoke([.microphone])
    session.followAccess()
    try eventually {
      try lost.receive()
      return lost.end != nil
    }
    guard case .refused(let refusal) = lost.end else { throw NoTap(refusal: nil) }
    #expect(refusal.exit == Outcome.revokedWhileRecording.rawValue)
    #expect(session.ending == nil && session.state == .recording)
  }

  @Test("uses up a grant for one recording, which lasts until the reader leaves")
  func once() throws {
    let notes = try #require(Client("notes"))
    let session = try startSession(in: scratch, "talk", access: access)
    let asked = AccessQuery(client: notes)
    _ = try access.authority.perform(.grant(.once), asked)
    do {
      let reading = try tap(session, ["client": "notes"])
      #expect(access.granted.count == 1)
      #expect(try refusal(session, ["client": "notes"]) != nil, "a grant is for one reader")
      session.followReaders()
      #expect(access.granted.count == 1 && reading.isConnected)
    }
    session.followReaders()
    #expect(access.granted == [])
    _ = try access.authority.perform(.grant(.once), asked)
    #expect(try refusal(session, ["client": "notes"]) == nil)
  }

  @Test("has a grant of its own, and neither uses nor changes that of the take")
  func ownGrant() throws {
    let notes = try #require(Client("notes"))
    let session = try startSession(in: scratch, "talk", access: access)
    for identifier in ["talk", "reader-1"] {
      let query = AccessQuery(client: notes, session: SessionID(identifier))
      _ = try access.authority.perform(.request(.onlyThisTime), query)
    }
    #expect(try refusal(session, ["client": "notes"]) != nil)
    #expect(try refusal(session, ["client": "notes", "reader": "talk"]) != nil)
    do {
      let reading = try tap(session, ["client": "notes", "reader": "reader-1"])
      #expect(access.granted == ["reader-1", "talk"] && reading.isConnected)
    }
    session.followReaders()
    #expect(access.granted == ["talk"])
    do {
      let query = AccessQuery(client: notes, session: SessionID("reader-2"))
      _ = try access.authority.perform(.request(.onlyThisTime), query)
      let reading = try tap(session, ["client": "notes", "reader": "reader-2"])
      session.take.taps.close()
      // The end of the take ends the grant.
      #expect(access.granted == ["talk"] && reading.isConnected)
    }
  }

  @Test("is refused in one sentence, with the code of the reason")
  func refusals() throws {
    let lost = Mutex<[AccessLoss]>([])
    let session = try startSession(
      in: scratch, "call", tracks: Self.tracks, access: access, host: PlainHost()
    ) { (lost.withLock { $0 }, false) }
    func expect(
      _ outcome: Outcome, _ words: String, _ arguments: JSONObject = [:],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let refusal = try #require(
        try refusal(session, arguments), sourceLocation: sourceLocation)
      #expect(refusal.exit == outcome.rawValue, "\(refusal)", sourceLocation: sourceLocation)
      #expect(refusal.message.contains(words), "\(refusal)", sourceLocation: sourceLocation)
      #expect(refusal.message.utf8.count < 120, "\(refusal)", sourceLocation: sourceLocation)
    }
    for track in ["mic", "far"] { #expect(try refusal(session, ["track": track.json]) == nil) }
    #expect(try refusal(session) == nil)
    try expect(.notFound, "no track of that name; its tracks are mic, far", ["track": "spk"])
    try expect(.usage, "the client name is invalid", ["client": "no such"])
    try expect(.permissionNotDetermined, "has not been decided", ["client": "stranger"])
    try access.revoke([.systemAudio])
    #expect(try refusal(session, ["track": "mic"]) == nil)
    try expect(.permissionDenied, "access to system audio is denied")
    try expect(.permissionDenied, "access to system audio is denied", ["track": "far"])
    lost.withLock { $0 = [lostAccess(to: .systemAudio)] }
    session.followAccess()
    #expect(try refusal(session) == nil, "the other track is silent, so it needs no permission")
    try expect(.revokedWhileRecording, "the track is silent", ["track": "far"])
    lost.withLock { $0 = [] }
    var ends: [Handoff<UnixSocket>] = []
    for _ in 0..<TakeTaps.most {
      let pair = try UnixSocket.pair()
      session.take.taps.add(TapReader(pair.first, [], try access.reader, from: 0, nil))
      ends.append(Handoff(pair.second))
    }
    try expect(.failed, "32 programs are reading it, which is the limit")
    ends = []
    #expect(try refusal(session) == nil, "readers that have disconnected do not count")
    session.end(.stopped)
    try expect(.notFound, "the recording call is already ending")
  }

  @Test("of a track of a mix is refused, and any other wrong request of a client, too")
  func wrong() throws {
    func refusal(_ error: any Error) -> Refusal { PlainHost().refusal(for: error) }
    let name = try #require(SessionName("call"))
    let mix = Self.tracks
    #expect(throws: TakeError.self) { try mix.readable("mic", in: name) }
    #expect(refusal(TakeError.tap(name, .mixed)).exit == Outcome.usage.rawValue)
    #expect(refusal(TakeError.tap(name, .descriptors)).exit == Outcome.failed.rawValue)
    #expect(refusal(TakeError.noFiles).exit == Outcome.usage.rawValue)
    #expect(refusal(TakeError.unknownRequest("dance")).exit == Outcome.usage.rawValue)
    #expect(refusal(MarkTextFlaw.severalLines).exit == Outcome.usage.rawValue)
    let failure = StoreFailure.locked("permissions.lock")
    #expect(refusal(failure).exit == Outcome.permissionUnusable.rawValue)
    let audit = TakeError.permission(.auditRequired(by: "/etc/a.json", failure))
    #expect(refusal(audit).exit == Outcome.permissionRestricted.rawValue)
    #expect(refusal(audit).message.contains("/etc/a.json requires the permission log"))
  }
}
