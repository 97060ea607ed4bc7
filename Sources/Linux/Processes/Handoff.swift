internal import Synchronization

/// Carries one value that cannot be copied to another thread, whose closure could not consume it.
package final class Handoff<Value: ~Copyable & Sendable>: Sendable {
  private let value: Mutex<Value?>

  /// Holds `value` until it is taken.
  package init(_ value: consuming sending Value) { self.value = Mutex(value) }

  /// The value, the first time; nil from then on.
  package func take() -> Value? { value.withLock { $0.take() } }
}
