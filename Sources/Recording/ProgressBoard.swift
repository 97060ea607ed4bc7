internal import Synchronization

/// The writer's progress, for other threads to read.
final class ProgressBoard: Sendable {
  private let progress = Mutex(TakeProgress())

  func update(_ change: (inout TakeProgress) -> Void) { progress.withLock { change(&$0) } }

  /// Returns the progress; the events in it stay.
  func look() -> TakeProgress { progress.withLock { $0 } }

  /// Returns the events since the last call, in order.
  func takeEvents() -> [PlacedEvent] {
    progress.withLock { progress in
      defer { progress.events = [] }
      return progress.events
    }
  }
}
