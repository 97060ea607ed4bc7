/// The thread on which delegates are called.
enum MainThread {
  /// Runs a closure on the main thread, after all earlier closures. If the main thread is blocked,
  /// the closures run later.
  static func deliver(_ body: @escaping @MainActor @Sendable () -> Void) {
    Task { @MainActor in body() }
  }
}
