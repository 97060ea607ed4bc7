internal import Guard
internal import Linux
internal import Permission

extension MicrophoneAccess {
  /// Returns the permission with the decisions of the portals' store, if the client is a Flatpak
  /// program. Only these programs are in that store, so the bus is not used for others.
  static func authority(
    _ authority: Authority, about client: Client, _ console: Console
  ) -> Authority {
    guard client.portalID != nil else { return authority }
    var authority = authority
    authority.portal = PortalStore.read()
    if let fault = authority.portal.fault { console.note(fault.words) }
    return authority
  }

  /// Carries out a command, and stores a decision that belongs into the portals' store there.
  static func outcome(
    of command: PermissionCommand, _ query: AccessQuery, by authority: Authority
  ) throws -> PermissionOutcome {
    let client = query.client
    let portal = authority.situation(query).portal(after: command)
    let isChanged = portal != authority.portal
    if isChanged {
      try mapError(portalFailure, PortalStore.write(portal.decisions[client], about: client))
    }
    return try mapError(
      { failure($0, still: isChanged ? nil : authority.decide(query)) },
      authority.perform(command, query))
  }

  private static func portalFailure(_ failure: any Error) -> Failure {
    Failure(
      .failed, "cannot store the decision in the desktop's permission store: \(failure)",
      advice: "nothing was changed; \(PortalRecords.Fault.examination)")
  }
}

extension PortalRecords.Fault {
  /// The advice for a store that does not work.
  static let examination =
    "to examine the store: systemctl --user status xdg-permission-store.service"

  /// The fault as the fact of a message.
  var words: String {
    switch self {
    case .absent(let reason):
      "the desktop's permission store is not used" + (reason.map { ": \($0)" } ?? "")
    case .unreadable(let reason): "the desktop's permission store cannot be read: \(reason)"
    }
  }
}
