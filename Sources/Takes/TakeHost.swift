package import Control

/// The program around a take: its words, its reports and its hooks.
///
/// The calls come from any thread of the take, and none of them may wait.
package protocol TakeHost: Sendable {
  /// Puts a fault into the words of a result's message.
  func words(for fault: TakeFault) -> String
  /// Puts the cause of an end into words; nil where the reason says all.
  func words(for cause: EndCause) -> String?
  /// Puts a remark on a result into words.
  func words(for remark: ResultRemark) -> String
  /// Puts a warning of the status into words.
  func words(for warning: SessionWarning) -> String
  /// Puts an error into the reply to a client.
  func refusal(for error: TakeError) -> Refusal
  /// Puts the label of a cut in the timeline into words.
  func label(for cut: TimelineCut) -> String
  /// Reports a file that could not be started; the take continues in the one before.
  func report(_ error: TakeError)
  /// Reports a file that retention skipped, because somebody has changed it.
  func reportChanged(_ path: String)
  /// Reports each file that has got its name.
  func completed(_ result: RecordingResult, of plan: RecordingPlan)
}
