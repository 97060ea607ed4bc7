package import Linux

/// The right of one session to use the microphone until it ends: what became of a grant for one recording.
package struct Pass: Hashable, Sendable {
  /// In whose name the session was started.
  package let client: Client
  /// When it was given.
  package let at: WallTime
  /// How it was given.
  package let by: Record.Origin
  /// The boot in which the session runs, where that is known.
  package let boot: String?

  package init(_ client: Client, at time: WallTime, by origin: Record.Origin, boot: String?) {
    self.client = client
    self.at = time.wholeSeconds
    self.by = origin
    self.boot = boot
  }
}
