import Audio
import Devices
import Foundation
import JSON
import Linux
import Support
import Synchronization
import Testing

@testable import Control
@testable import Permission
@testable import Recording
@testable import Takes

/// A model of a session, with the few facts that matter to a client.
private struct Model {
  var isPaused = false
  var isEnding = false

  /// The answer to a verb: a state immediately, a refusal, or the end of the recording later.
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
  @Test("A track that loses its permission ends alone, and the take with its last track")
  func trackLoss() throws {
    let scratch = try ScratchDirectory()
    let lost = Mutex<(losses: [AccessLoss], isComplete: Bool)>(([], false))
    let desk = try startSession(
      in: scratch, "call",
      tracks: [Track(name: "mic", device: "default"), Track(name: "far", device: "output")]
    ) { lost.withLock { $0 } }
    #expect(desk.followAccess() && desk.status.tracks.allSatisfy { $0.ended == nil })
    let ticket = Ticket(connection: 1, request: 1)
    let loss = lostAccess(to: .systemAudio)
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
    let loss = lostAccess(to: .systemAudio)
    let desk = try startSession(
      in: scratch, "call",
      tracks: [Track(name: "mic", device: "default"), Track(name: "far", device: "output")]
    ) { ([loss], false) }
    desk.followAccess()
    desk.end(.stopped)
    try eventually { desk.take.recording.end != nil }
    let result = desk.result
    #expect(result.exit == Outcome.incomplete.rawValue && result.reason == .stopped)
    #expect(result.message?.hasPrefix("the track \"") == true)
    #expect(result.tracks.map(\.ended) == [nil, .permission])
  }

  @Test("A paused take can still close its device, and opens it again when it resumes")
  func laterRelease() throws {
    let scratch = try ScratchDirectory()
    let desk = try startSession(in: scratch, "pause")
    defer { desk.take.recording.cut() }
    desk.pause()
    #expect(!desk.take.recording.isReleased)
    desk.pause(releasing: true)
    #expect(desk.take.recording.isReleased && desk.isPaused)
    try desk.resume()
    #expect(!desk.take.recording.isReleased && !desk.isPaused)
  }

  @Test("The end of a take comes after a pause that closed its device")
  func endAfterRelease() throws {
    let scratch = try ScratchDirectory()
    let desk = try startSession(in: scratch, "end")
    desk.pause(releasing: true)
    KernelClock.sleep(.seconds(1))
    let now = KernelClock.realTime.now
    desk.end(.stopped)
    try eventually { desk.take.recording.end != nil }
    #expect(desk.result.ended >= now)
  }

  @Test("A new limit of the length is in the status, and ends the take")
  func limit() throws {
    let scratch = try ScratchDirectory()
    let desk = try startSession(in: scratch, "limit")
    desk.limit(to: .seconds(3_600))
    #expect(desk.status.limits?.duration == .seconds(3_600))
    desk.limit(to: nil)
    #expect(desk.status.limits == nil && desk.take.recording.end == nil)
    desk.limit(to: .milliseconds(1))
    try eventually { desk.take.recording.end?.write == .duration }
  }

  @Test("A take that reaches the largest size of its format is incomplete, with a message")
  func fullFile() throws {
    let scratch = try ScratchDirectory()
    let desk = try startSession(in: scratch, "full", host: PlainHost())
    desk.determineCause(of: RecordingEnd(capture: .stopped, write: .size))
    try eventually { desk.take.recording.end != nil }
    let result = desk.result
    #expect(result.reason == .size && result.exit == Outcome.incomplete.rawValue)
    #expect(result.message == "the file reached the largest size of WAV files")
  }

  @Test("The files of several tracks may each have the largest size of their format")
  func largestFiles() throws {
    var plan = RecordingPlan(
      identifier: "a", name: "a", capture: CapturePlan(device: "test:ramp"),
      output: OutputPlan(path: "/a.aiff", format: .aiff))
    plan.capture.tracks = ["mic", "far"].map { Track(name: $0, device: "test:ramp") }
    let device = try CaptureDevice(plan.capture.tracks, TakeFormats.request(plan))
    let most = try #require(FileFormat.aiff.mostBytes)
    #expect(try TakeFormats(plan, device: device.setup).mostBytes(of: plan.output) == most)
    plan.output.tracks = ["mic", "far"]
    let both = try TakeFormats(plan, device: device.setup).mostBytes(of: plan.output)
    #expect(both.map { $0 > 2 * most - 8 && $0 <= 2 * most } == true)
  }

  @Test("A mark is answered with its position, also if the take has ended meanwhile")
  func markAtEnd() throws {
    let scratch = try ScratchDirectory()
    let desk = try startSession(in: scratch, "mark")
    let ticket = Ticket(connection: 1, request: 1)
    let answer = desk.answer(ticket, Control.Request("mark", ["text": "x"]))
    #expect(reaction(of: answer) == .later)
    try eventually { desk.take.recording.progress.marks == 1 }
    desk.end(.stopped)
    try eventually { desk.take.recording.end != nil }
    let replies = desk.takeReplies()
    guard replies.count == 1, case .done(let members) = replies[0].1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(members["mark"]?["label"]?.string == "x")
  }

  @Test("A split is refused if the next file cannot be created, and the take continues")
  func refusedSplit() throws {
    let scratch = try ScratchDirectory()
    let directory = scratch.path("takes")
    try Directory(scratch.path).makeDirectory("takes")
    let desk = try startSession(in: scratch, "log", at: directory)
    defer { desk.take.recording.cut() }
    try FileManager.default.moveItem(atPath: directory, toPath: scratch.path("moved"))
    try scratch.write("", to: "takes")
    let ticket = Ticket(connection: 1, request: 1)
    #expect(reaction(of: desk.answer(ticket, Control.Request("split"))) == .later)
    var replies: [(Ticket, Reply)] = []
    try eventually {
      replies += desk.takeReplies()
      return !replies.isEmpty
    }
    #expect(replies.count == 1 && replies[0].0 == ticket)
    guard case .refused(let refusal) = replies[0].1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(refusal.exit == Outcome.failed.rawValue && refusal.message.contains("takes"))
    #expect(desk.status.state == .recording && desk.take.recording.progress.segment == 1)
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
    let rounds = isThorough ? 100 : 3
    for round in 0..<rounds {
      let desk = try startSession(in: scratch, "take\(round)")
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
