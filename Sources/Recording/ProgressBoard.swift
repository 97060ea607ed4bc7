internal import Synchronization

/// Where the writer says how far it is, and others look.
final class ProgressBoard: Sendable {
  private let progress = Mutex(TakeProgress())

  func update(_ change: (inout TakeProgress) -> Void) { progress.withLock { change(&$0) } }

  /// How far the take is; the events are not taken.
  func look() -> TakeProgress { progress.withLock { $0 } }

  /// What happened since the last time, in order.
  func takeEvents() -> [PlacedEvent] {
    progress.withLock { progress in
      defer { progress.events = [] }
      return progress.events
    }
  }
}
