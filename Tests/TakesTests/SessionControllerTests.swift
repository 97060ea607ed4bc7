import Audio
import Devices
import Foundation
import JSON
import Linux
import Store
import Support
import Synchronization
import Testing

@testable import Control
@testable import Permission
@testable import Takes

/// A model of a session, with the few facts that matter to a client.
private struct Model {
  var isPaused = false
  var isEnding = false

  /// The answer to a verb: a state at once, a refusal, or the end of the recording later.
  enum Reaction: Equatable {
    case state(RecordingStatus.State)
    case refused(Int32)
    case later
  }

  mutating func react(to verb: String) -> Reaction {
    switch verb {
    case "stop", "cancel":
      isEnding = true
      return .later
    case "wait": return .later
    case "status", "watch": return .state(state)
    case "dance": return .refused(isEnding ? 10 : 64)
    case _ where isEnding: return .refused(10)
    case "mark": return .later
    case "pause": isPaused = true
    case "resume": isPaused = false
    default: isPaused.toggle()
    }
    return .later
  }

  private var state: RecordingStatus.State {
    isEnding ? .finishing : isPaused ? .paused : .recording
  }
}

@Suite("The answers of a session", .timeLimit(.minutes(10)))
struct SessionControllerTests {
  private func desk(
    in scratch: borrowing ScratchDirectory, _ name: String, tracks: [Track]? = nil,
    access: TestAccess? = nil,
    losses: @escaping () -> (losses: [AccessLoss], isComplete: Bool) = { ([], false) }
  ) throws -> SessionController {
    var plan = RecordingPlan(
      identifier: name, name: name, capture: CapturePlan(device: "test:ramp"),
      output: OutputPlan(path: scratch.path(name + ".wav"), format: .wav))
    plan.capture.tracks = tracks ?? plan.capture.tracks
    let devices = tracks?.map { _ in Track(device: "test:ramp") } ?? plan.capture.tracks
    let take = try LiveTake(
      plan, #require(SessionName(name)),
      from: CaptureDevice(devices, TakeFormats.request(plan)),
      into: Directory(scratch.path),
      MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run"))),
      QuietHost(), reopening: { _ in true })
    try eventually { take.recording.captured > 0 }
    let access = try access ?? TestAccess(in: scratch.path)
    return SessionController(
      take, QuietHost(), takeLosses: losses, checkAccess: {}, readerAccess: access.access)
  }

  private func loss(of service: Service) -> AccessLoss {
    let wall = WallTime(sinceEpoch: .zero)
    let situation = Situation(
      policies: .none, records: .absent,
      clock: ClockReading(boottime: .zero, wall: wall, boot: nil),
      account: Account.current(Environment.effectiveUser),
      owner: StoreOwner(user: 0, machineID: nil),
      services: [service])
    return AccessLoss(decision: situation.decide(), account: situation.account)
  }

  @Test("A track that loses its permission ends alone, and the take with its last track")
  func trackLoss() throws {
    let scratch = try ScratchDirectory()
    let lost = Mutex<(losses: [AccessLoss], isComplete: Bool)>(([], false))
    let desk = try desk(
      in: scratch, "call",
      tracks: [Track(name: "mic", device: "default"), Track(name: "far", device: "output")]
    ) { lost.withLock { $0 } }
    #expect(desk.followAccess() && desk.status.tracks.allSatisfy { $0.ended == nil })
    let ticket = Ticket(connection: 1, request: 1)
    let loss = loss(of: .systemAudio)
    lost.withLock { $0 = ([loss], false) }
    #expect(reaction(of: desk.answer(ticket, Control.Request("permission"))) == .state(.recording))
    lost.withLock { $0 = ([], false) }
    #expect(desk.ending == nil && desk.status.tracks.map(\.ended) == [nil, .permission])
    #expect(desk.warnings.contains(.silenced([desk.take.tracks[1]], loss)))
    try eventually { desk.status.tracks[1].gaps?.first?.cause == .permission }
    #expect(desk.status.tracks[0].gaps == [])
    lost.withLock { $0 = ([loss], true) }
    #expect(!desk.followAccess() && desk.ending?.cause.reason == .permission)
    try eventually { desk.take.recording.end != nil }
    #expect(desk.result.exit == Outcome.revokedWhileRecording.rawValue)
  }

  @Test("A take with a track that lost its permission is incomplete")
  func incomplete() throws {
    let scratch = try ScratchDirectory()
    let loss = loss(of: .systemAudio)
    let desk = try desk(
      in: scratch, "call",
      tracks: [Track(name: "mic", device: "default"), Track(name: "far", device: "output")]
    ) { ([loss], false) }
    desk.followAccess()
    desk.end(.stopped)
    try eventually { desk.take.recording.end != nil }
    let result = desk.result
    #expect(result.exit == Outcome.incomplete.rawValue && result.reason == .stopped)
    #expect(result.message?.hasPrefix("silenced") == true)
    #expect(result.tracks.map(\.ended) == [nil, .permission])
  }

  @Test("A new limit of the length is in the status, and ends the take")
  func limit() throws {
    let scratch = try ScratchDirectory()
    let desk = try desk(in: scratch, "limit")
    desk.limit(to: .seconds(3_600))
    #expect(desk.status.limits?.duration == .seconds(3_600))
    desk.limit(to: nil)
    #expect(desk.status.limits == nil && desk.take.recording.end == nil)
    desk.limit(to: .milliseconds(1))
    try eventually { desk.take.recording.end?.write == .duration }
  }

  @Test("A reader gets the frames of the take from its request to the end of the take")
  func tap() throws {
    let scratch = try ScratchDirectory()
    let access = try TestAccess(in: scratch.path)
    let desk = try desk(in: scratch, "talk", access: access)
    var reading = try tap(desk)
    try eventually {
      try reading.receive()
      return reading.numbers.count > 4_800
    }
    desk.end(.stopped)
    try eventually { desk.take.recording.end != nil }
    desk.take.taps.end()
    desk.take.taps.drain(upTo: .seconds(10), patience: .zero)
    try reading.receive()
    let first = try #require(reading.numbers.first)
    #expect(firstBreak(in: reading.numbers, from: first) == nil && reading.lost == 0)
    #expect(first > 0)
    #expect(reading.numbers.last.map { Int64($0) + 1 } == desk.result.frames.onDisk.value)
    #expect(reading.end == .done)
    let events = try access.authority.store.audit.log().entries.map(\.json)
    #expect(events.last?["event"]?.string == "tap")
    #expect(events.last?["pid"]?.integer == Int64(Environment.processIdentifier))
  }

  private func tap(_ desk: SessionController) throws -> Reading {
    let ticket = Ticket(connection: 1, request: 1, process: Environment.processIdentifier)
    guard case .handOver(_, let take) = desk.answer(ticket, Control.Request("tap")) else {
      throw NoTap()
    }
    let pair = try UnixSocket.pair()
    take(pair.first, [])
    return Reading(pair.second)
  }

  private struct NoTap: Error {}

  @Test("A reader that loses its permission ends alone")
  func tapLoss() throws {
    let scratch = try ScratchDirectory()
    let access = try TestAccess(in: scratch.path)
    let desk = try desk(in: scratch, "talk", access: access)
    var lost = try tap(desk)
    try access.revoke([.microphone])
    desk.followAccess()
    try eventually {
      try lost.receive()
      return lost.end != nil
    }
    guard case .refused(let refusal) = lost.end else { throw NoTap() }
    #expect(refusal.exit == Outcome.revokedWhileRecording.rawValue)
    #expect(desk.ending == nil && desk.state == .recording)
  }

  @Test("A tap is refused without permission, for a missing track, as the 33rd, and at the end")
  func tapRefusals() throws {
    let scratch = try ScratchDirectory()
    let access = try TestAccess(in: scratch.path)
    let lost = Mutex<[AccessLoss]>([])
    let desk = try desk(
      in: scratch, "call",
      tracks: [Track(name: "mic", device: "default"), Track(name: "far", device: "output")],
      access: access
    ) { (lost.withLock { $0 }, false) }
    func refusal(_ track: String? = nil) -> String? {
      var arguments: JSONObject = [:]
      arguments.set("track", track)
      let answer = desk.answer(
        Ticket(connection: 1, request: 1), Control.Request("tap", arguments))
      guard case .reply(.refused(let refusal)) = answer else { return nil }
      return refusal.message
    }
    #expect(refusal() == nil && refusal("mic") == nil && refusal("far") == nil)
    #expect(refusal("spk")?.contains("noTrack") == true)
    try access.revoke([.systemAudio])
    #expect(refusal("mic") == nil)
    #expect(refusal()?.contains("refused") == true && refusal("far")?.contains("refused") == true)
    let loss = loss(of: .systemAudio)
    lost.withLock { $0 = [loss] }
    desk.followAccess()
    #expect(refusal() == nil, "the other track is silent, so it needs no permission")
    #expect(refusal("far")?.contains("silenced") == true)
    lost.withLock { $0 = [] }
    var ends: [Handoff<UnixSocket>] = []
    for _ in 0..<TakeTaps.most {
      let pair = try UnixSocket.pair()
      desk.take.taps.add(TapReader(pair.first, [], access.reader, from: 0, nil))
      ends.append(Handoff(pair.second))
    }
    #expect(refusal()?.contains("readers") == true)
    ends = []
    #expect(refusal() == nil, "readers that have disconnected do not count")
    desk.end(.stopped)
    #expect(refusal() == "ending")
  }

  private func reaction(of answer: Answer) -> Model.Reaction? {
    switch answer {
    case .later: .later
    case .reply(.refused(let refusal)), .watch(.refused(let refusal)): .refused(refusal.exit)
    case .handOver: nil
    case .reply(.done(let members)), .watch(.done(let members)):
      RecordingStatus(json: .object(members)).map { .state($0.state) }
    }
  }

  @Test("The state decides the answer to any request, in any order")
  func model() throws {
    var generator = SeededGenerator(seed: 35)
    let verbs = ["pause", "resume", "toggle", "mark", "status", "watch", "wait", "dance"]
    let scratch = try ScratchDirectory()
    var steps = 0
    let rounds = ProcessInfo.processInfo.environment["RECORDER_TEST_EVERY"] == nil ? 3 : 100
    for round in 0..<rounds {
      let desk = try desk(in: scratch, "take\(round)")
      defer { desk.take.recording.cut() }
      var model = Model()
      for step in 0..<1_000 {
        let isLast = step >= 900
        let ends = isLast && generator.next() % 50 == 0
        let verb = ends ? ["stop", "cancel"].randomElement(using: &generator) : nil
        let asked = try #require(verb ?? verbs.randomElement(using: &generator))
        let answer = desk.answer(
          Ticket(connection: 1, request: Int64(step)), Control.Request(asked, ["text": "x"]))
        let expected = model.react(to: asked)
        try #require(reaction(of: answer) == expected, "\(asked) in step \(step) of \(round)")
        steps += 1
      }
    }
    #expect(steps == rounds * 1_000)
  }
}
