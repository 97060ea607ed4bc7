extension Situation {
  /// The services whose decisions about the client are in the portals' store, and not in our store.
  private var portalServices: Set<Service> {
    client.portalID != nil && portal.fault == nil ? services.intersection([.microphone]) : []
  }

  /// Returns the services for which a decision with this consent belongs in our store. For a grant
  /// that expires, returns all services, because the portals' store cannot represent such a grant.
  func ownServices(for consent: Record.Consent) -> Set<Service> {
    switch consent {
    case .denied, .forever: services.subtracting(portalServices)
    case .timed, .once: services
    }
  }

  /// Returns the records of the portals' store after a command. If they differ from `portal`, the
  /// caller stores them.
  package func portal(after command: PermissionCommand) -> PortalRecords {
    var after = portal
    guard !portalServices.isEmpty, case .change = transition(of: command) else { return after }
    switch command {
    case .grant(.forever), .request(.always): after.decisions[client] = true
    case .revoke, .request(.never): after.decisions[client] = false
    // A grant that expires is stored in our store. The entry in the portals' store is removed,
    // because it could allow access after the grant has expired.
    case .grant, .reset: after.decisions[client] = nil
    case .request, .status: break
    }
    return after
  }

  /// If the command stores a refusal in the portals' store, returns the scope of the grants in our
  /// store that this refusal replaces. Otherwise, returns nil.
  func replacedGrants(by command: PermissionCommand) -> Scope? {
    let replaced = services.subtracting(ownServices(for: .denied))
    guard command == .revoke || command == .request(.never), !replaced.isEmpty else { return nil }
    return Scope(replaced, client)
  }
}
