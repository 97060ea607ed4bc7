internal import Digest

/// The user and the machine that a store was written for.
package struct StoreOwner: Hashable, Sendable {
  /// The user, by number.
  package let user: UInt32
  /// The digest of the machine's identity, or `none`.
  package let machine: String

  /// A owner from its stored parts; `machine` is a digest or `none`.
  package init(user: UInt32, machine: String) {
    self.user = user
    self.machine = machine
  }

  /// Binds to a machine ID; a missing or empty one, as in a chroot, binds to `none`.
  ///
  /// The ID itself must not be stored, as machine-id(5) asks: only a digest of it with a constant
  /// of this program is.
  package init(user: UInt32, machineID: String?) {
    let identity = machineID.map { $0.filter { !$0.isWhitespace } } ?? ""
    let text = "recorder permission store 1\n" + identity
    self.init(user: user, machine: identity.isEmpty ? "none" : SHA256(of: text.utf8).hexadecimal)
  }

  /// True if the machine has no identity.
  package var hasNoMachine: Bool { machine == "none" }
}
