package import Linux

/// The right of one session to use the microphone until it ends, made from a grant for one
/// recording.
package struct Pass: Hashable, Sendable {
  /// The client that the session was started for.
  package let client: Client
  /// The time of the pass, in whole seconds.
  package let at: WallTime
  /// The origin of the grant.
  package let by: Record.Origin
  /// The boot in which the session runs; nil if it is unknown.
  package let boot: String?

  /// A pass; the time is cut to whole seconds.
  package init(_ client: Client, at time: WallTime, by origin: Record.Origin, boot: String?) {
    self.client = client
    self.at = time.wholeSeconds
    self.by = origin
    self.boot = boot
  }
}
