internal import Control
internal import Takes

/// The program as the host of takes: its texts, its warnings on stderr and its hooks.
protocol ProgramTakeHost: TakeHost {}

/// The host of a take outside of a session.
struct ProgramHost: ProgramTakeHost {}

extension ProgramTakeHost {
  var trashesReplaced: Bool { true }

  func words(for loss: AccessLoss) -> String {
    MicrophoneAccess.phrasing.loss(loss.decision, of: loss.account)
  }

  func refusal(for error: any Error) -> Refusal { Refusal(Failure(explaining: error)) }

  func report(_ error: any Error) { Console().warn(Failure(explaining: error).message) }

  func reportChanged(_ path: String) {
    Console().warn(
      "\(quoted(path)) was changed since it was recorded, so --keep does not delete it")
  }

  func completed(_ result: RecordingResult, of plan: RecordingPlan) {
    Hook.run(plan.onSegment, at: .segment, result)
  }

  func deliver(_ series: String) { DeliveryCommand.start(for: series) }
}

extension Refusal {
  /// Creates the refusal that reports this failure to the other end of a socket.
  init(_ failure: Failure) {
    let advice = failure.message.advice.joined(separator: "\n")
    self.init(
      exit: failure.code.rawValue, failure.message.fact, advice: advice.isEmpty ? nil : advice)
  }
}
