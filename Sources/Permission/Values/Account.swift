internal import Linux
internal import Synchronization

/// The user who runs the program, with the names and groups that the system knows.
package struct Account: Hashable, Sendable {
  /// A group. The system may not know its name.
  package struct Group: Hashable, Sendable {
    /// The group ID.
    package let id: UInt32
    /// The name from the group database, or nil if the database has none.
    package let name: String?
  }

  /// The user ID.
  package let id: UInt32
  /// The login name, or nil if the user database has none.
  package let name: String?
  private let membership: Membership

  /// Every group that the user is in.
  package var groups: [Group] { membership.groups }

  /// Creates an account. Its name may be unknown.
  ///
  /// - Parameter groups: evaluated when the groups are first needed, because a search in the group
  ///   database may take longer than everything else that is needed to decide about access.
  package init(id: UInt32, name: String?, groups: @escaping @autoclosure @Sendable () -> [Group]) {
    self.id = id
    self.name = name
    membership = Membership(groups)
  }
}

/// The groups of a user. They are looked up when they are first needed.
private final class Membership: Sendable {
  private let look: @Sendable () -> [Account.Group]
  private let found = Mutex<[Account.Group]?>(nil)

  init(_ look: @escaping @Sendable () -> [Account.Group]) { self.look = look }

  var groups: [Account.Group] {
    found.withLock { found in
      let groups = found ?? look()
      found = groups
      return groups
    }
  }
}

extension Membership: Hashable {
  static func == (left: Membership, right: Membership) -> Bool {
    left === right || left.groups == right.groups
  }

  func hash(into hasher: inout Hasher) {}
}

extension Account {
  /// Compares a rule's entry, which is a name or a number, with this user.
  package func isUser(_ entry: String) -> Match { Match(of: entry, id: id, name: name) }

  /// Compares a rule's entry, which is a name or a number, with this user's groups.
  package func isMember(of entry: String) -> Match {
    groups.map { Match(of: entry, id: $0.id, name: $0.name) }.max() ?? .no
  }
}

/// The result of comparing a rule with a user or a device. It is `unknown` if the name of the user,
/// of a group or of the card is needed but not known.
package enum Match: Int, Comparable, Sendable {
  case no, unknown, yes

  /// The order is no, unknown, yes. So the minimum is the result of "and", and the maximum is the
  /// result of "or".
  package static func < (left: Match, right: Match) -> Bool { left.rawValue < right.rawValue }

  /// Compares an entry with an ID and a name. If `name` is nil, the result for an entry that is not
  /// a number is `unknown`.
  init(of entry: String, id: UInt32, name: String?) {
    if ([String(id)] + [name].compactMap(\.self)).contains(name: entry) {
      self = .yes
    } else {
      self = name == nil && UInt32(entry) == nil ? .unknown : .no
    }
  }
}
