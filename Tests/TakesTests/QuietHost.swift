import Control
import Takes

/// A host that reports about its takes only the values that the tests compare.
struct QuietHost: TakeHost {
  func words(for loss: AccessLoss) -> String { "\(loss.reason)" }

  func refusal(for error: any Error) -> Refusal {
    switch error {
    case TakeError.ending: Refusal(exit: Outcome.notFound.rawValue, "ending")
    case TakeError.unknownRequest: Refusal(exit: Outcome.usage.rawValue, "unknown")
    default: Refusal(exit: Outcome.failed.rawValue, "\(error)")
    }
  }

  func report(_ error: any Error) {}
  func reportChanged(_ path: String) {}
  func completed(_ result: RecordingResult, of plan: RecordingPlan) {}
}
