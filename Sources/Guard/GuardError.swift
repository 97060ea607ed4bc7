package import Control
package import Linux
package import Permission
package import PipeWire

/// The reason why the guard cannot do what was requested.
package enum GuardError: Error {
  /// Another guard of this user is running. The value is its process number, or nil if unknown.
  case alreadyRunning(Int32?)
  case unknownRequest(String)
  /// No open question has this number.
  case noQuestion(Int)
  /// The answer about a program cannot be stored.
  case unstored(GuardedProgram, StoreFailure)
  /// A file that `guard on` would write exists with other content, which recorder did not write.
  case foreignFile(Path)
  /// The desktop's permission store did not store a decision, for this reason.
  case portal(String)
}

/// A report of the guard to the program that runs it.
package enum GuardNews: Sendable {
  /// Nothing is guarded, because the sound server cannot be used.
  case unguarded(ConnectionFailure)
  /// The sound server can be used again.
  case guarded
  /// A new question.
  case question(GuardQuestion)
  /// This question had no answer in time, so the program was refused.
  case unanswered(GuardQuestion)
  case incompleteLog(StoreFailure)
  case unstored(GuardedProgram, StoreFailure)
  /// The desktop's permission store cannot be used.
  case noPortal(PortalRecords.Fault)
}

/// The program that runs a guard. It supplies the messages.
package protocol GuardHost {
  /// Shows news.
  func show(_ news: GuardNews)

  /// Returns the answer to a request that failed with this error.
  func refusal(_ error: GuardError) -> Refusal

  /// Returns a question as a notification: a sentence, and details.
  func words(for question: GuardQuestion) -> (summary: String, details: String)

  /// Returns the message about a program that is refused because its question had no answer.
  func words(forUnanswered question: GuardQuestion) -> (summary: String, details: String)

  /// The words on the button of each answer.
  var buttons: [(GuardAnswer, String)] { get }
}
