/// The thread on which delegates are called.
enum MainThread {
  /// Runs a closure on the main thread, after all earlier closures.
  static func deliver(_ body: @escaping @MainActor @Sendable () -> Void) {
    Task { @MainActor in body() }
  }
}
