internal import Guard
internal import Linux
internal import Permission

extension MicrophoneAccess {
  /// Returns the authority. If one of the clients is a Flatpak program, adds the decisions in the
  /// desktop's permission store. Other clients are not in this store, so it is not read for them.
  static func authority(
    _ authority: Authority, about clients: [Client], _ console: Console
  ) -> Authority {
    guard clients.contains(where: { $0.portalID != nil }) else { return authority }
    var authority = authority
    authority.portal = PortalStore.read()
    if let fault = authority.portal.fault { console.note(fault.words) }
    return authority
  }

  /// Carries out a command. Writes the desktop's permission store if the command changes it.
  static func outcome(
    of command: PermissionCommand, _ query: AccessQuery, by authority: Authority
  ) throws -> PermissionOutcome {
    let client = query.client
    let portal = authority.situation(query).portal(after: command)
    let isChanged = portal != authority.portal
    if isChanged { try PortalStore.write(portal.decisions[client], about: client) }
    return try explaining(
      authority.perform(command, query), still: isChanged ? nil : authority.decide(query))
  }

  /// Runs an action on the permission files. Throws its error as a failure that names the action.
  ///
  /// - Parameter decision: the decision that still applies after an error.
  static func explaining<Value>(
    _ call: @autoclosure () throws(StoreFailure) -> Value, of action: String = "store the decision",
    still decision: @autoclosure () -> Decision? = nil
  ) throws(Failure) -> Value {
    try mapError({ failure($0, of: action, still: decision()) }, call())
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
