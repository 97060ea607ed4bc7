internal import Linux

/// The decisions about the microphone in the permission store of the desktop's portals.
///
/// The decisions are about Flatpak programs only. This module does not read or write the store.
package struct PortalRecords: Hashable, Sendable {
  /// The reason why the store cannot be read or changed.
  package enum Fault: Hashable, Sendable {
    /// The store was not read, this desktop has no such store, or the connection to the store
    /// failed after a reading. The value is a description of the reason for the user, or nil before
    /// the first reading.
    case absent(String?)
    /// The store exists but cannot be read, for this reason.
    case unreadable(String)
  }

  /// Whether each program is allowed, as of the last reading. A program without an entry is
  /// undecided.
  package var decisions: [Client: Bool]
  /// The fault of the store, or nil if the store can be used.
  package var fault: Fault?

  /// The records of a store that was not read.
  package static let unread = PortalRecords(fault: .absent(nil))

  /// Creates records.
  package init(_ decisions: [Client: Bool] = [:], fault: Fault? = nil) {
    (self.decisions, self.fault) = (decisions, fault)
  }

  /// Returns whether the client may use the service, or nil if the store has no such decision.
  func decision(about subject: Subject) -> Bool? {
    subject.service == .microphone ? decisions[subject.client] : nil
  }

  /// Returns the reason why the decision about a subject cannot be read, or nil if there is no such
  /// reason. The store has decisions only about the use of the microphone by Flatpak programs, so
  /// the result for any other subject is nil.
  func fault(about subject: Subject) -> String? {
    guard case .unreadable(let reason) = fault, subject.service == .microphone,
      subject.client.portalID != nil
    else { return nil }
    return reason
  }
}

extension Client {
  /// The identifier of a Flatpak program in the portals' store, or nil for any other client.
  package var portalID: String? {
    name.begins(with: "flatpak:") ? name.trimmingBytes(first: 8) : nil
  }

  /// Creates the Flatpak program with this identifier. The result is nil if the identifier is
  /// invalid.
  package init?(portalID: String) { self.init(program: "flatpak:" + portalID) }
}
