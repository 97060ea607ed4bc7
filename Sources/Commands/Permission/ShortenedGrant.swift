internal import Audio
internal import Control
internal import Linux
internal import Permission
internal import Store
internal import Takes

/// The uses of the microphone and of system audio that end earlier because of a new grant.
extension MicrophoneAccess {
  /// Returns all current uses, and a sentence for each use that will end when the new grant
  /// expires. Returns nil if the command did not replace a longer grant.
  static func ending(
    after outcome: PermissionOutcome, by authority: Authority
  ) -> LiveSessions.Outcome? {
    guard outcome.shortensGrant, outcome.after.client.kind == .caller else { return nil }
    var live = LiveSessions.Outcome(inUse: listeners)
    live.stopped.ending = live.inUse.compactMap { ending(of: $0, after: outcome, by: authority) }
    return live
  }

  /// Returns a sentence with the time at which a use ends, or nil if the grant does not end it. A
  /// grant of this machine does not apply to other hosts.
  private static func ending(
    of listener: Listener, after outcome: PermissionOutcome, by authority: Authority
  ) -> String? {
    let record = listener.record
    let client = record.client.flatMap(Client.init(_:)) ?? .everyone
    let used = record.tracks.filter { $0.ended == nil }.services
    let lost = used.intersection(outcome.after.services)
    guard listener.host == nil, client == outcome.after.client, !lost.isEmpty else { return nil }
    let query = AccessQuery(lost, client: client, session: SessionID(record.identifier))
    let decision = authority.decide(query)
    guard let end = decision.expiresAt else { return nil }
    let loss = lost == used ? "end" : "continue without \(accessWords(lost))"
    let earlier = decision.reason == .once ? ", or earlier if another recording uses the grant" : ""
    return "\(sentence(listener.whom)) will \(loss) at \(phrasing.time(end))\(earlier)."
  }
}
