import Audio
import Devices
import Foundation
import JSON
import Linux
import Support
import Testing

@testable import Control
@testable import Takes
import Store

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
  private func desk(in scratch: borrowing ScratchDirectory, _ name: String) throws
    -> SessionController
  {
    let plan = RecordingPlan(
      identifier: name, name: name, capture: CapturePlan(device: "test:ramp"),
      output: OutputPlan(path: scratch.path(name + ".wav"), format: .wav))
    let take = try LiveTake(
      plan, #require(SessionName(name)),
      from: CaptureDevice("test:ramp", TakeFormats.request(plan)),
      into: Directory(scratch.path),
      MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run"))),
      QuietHost(), reopening: { _ in true })
    try eventually { take.recording.captured > 0 }
    return SessionController(take, QuietHost()) {}
  }

  private func reaction(of answer: Answer) -> Model.Reaction? {
    switch answer {
    case .later: .later
    case .reply(.refused(let refusal)), .watch(.refused(let refusal)): .refused(refusal.exit)
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
