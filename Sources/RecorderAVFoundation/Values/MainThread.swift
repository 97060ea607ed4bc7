/// The thread on which delegates are called.
enum MainThread {
  /// Runs a body on the main thread, after those that were given before it; one that is blocked runs them later.
  static func deliver(_ body: @escaping @MainActor @Sendable () -> Void) {
    Task { @MainActor in body() }
  }
}
