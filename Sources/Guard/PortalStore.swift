package import Bus

/// The decisions about the microphone in the permission store of the desktop's portals, by the
/// identifiers of Flatpak programs.
package enum PortalStore {
  private static let interface = "org.freedesktop.impl.portal.PermissionStore"
  private static let table = "devices"
  private static let device = "microphone"

  private static func method(_ name: String) -> BusMethod {
    BusMethod(name, of: interface, at: "/org/freedesktop/impl/portal/PermissionStore", interface)
  }

  /// Asks the bus for changes of the store.
  package static func watch(_ bus: borrowing SessionBus) throws(BusFailure) {
    try bus.watch(interface)
  }

  /// Returns whether each program is allowed. A program without an entry is undecided.
  package static func read(_ bus: borrowing SessionBus) throws(BusFailure) -> [String: Bool] {
    do throws(BusFailure) {
      let found = try bus.call(method("Lookup"), [.string(table), .string(device)])
      return found.first.map(decisions) ?? [:]
    } catch .refused("org.freedesktop.portal.Error.NotFound", _) {
      return [:]
    }
  }

  /// Stores a decision about a program, or removes it if `isAllowed` is nil.
  package static func set(
    _ program: String, _ isAllowed: Bool?, on bus: borrowing SessionBus
  ) throws(BusFailure) {
    let entry: [BusValue] = [.string(table)]
    guard let isAllowed else {
      _ = try bus.call(
        method("DeletePermission"), entry + [.string(device), .string(program)])
      return
    }
    _ = try bus.call(
      method("SetPermission"),
      entry + [
        .bool(true), .string(device), .string(program), .strings([isAllowed ? "yes" : "no"]),
      ])
  }

  /// Returns the decisions after a change, or nil if the message is no change of the microphone.
  package static func change(_ event: BusEvent) -> [String: Bool]? {
    guard case .signal(let signal) = event, signal.interface == interface,
      signal.member == "Changed", signal.values.count == 5, signal.values[0].string == table,
      signal.values[1].string == device
    else { return nil }
    return decisions(signal.values[4])
  }

  private static func decisions(_ value: BusValue) -> [String: Bool] {
    var decisions: [String: Bool] = [:]
    for case .entry(let program, let words) in value.elements {
      switch words.elements.first?.string {
      case "yes": decisions[program] = true
      case "no": decisions[program] = false
      default: break
      }
    }
    return decisions
  }
}
