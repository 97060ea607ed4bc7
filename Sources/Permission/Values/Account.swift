/// Who uses the program, as far as the system can tell.
package struct Account: Hashable, Sendable {
  /// A group, whose name the system may not know.
  package struct Group: Hashable, Sendable {
    package let id: UInt32
    package let name: String?

    package init(id: UInt32, name: String?) {
      self.id = id
      self.name = name
    }
  }

  package let id: UInt32
  package let name: String?
  /// Every group that the user is in.
  package let groups: [Group]

  package init(id: UInt32, name: String?, groups: [Group]) {
    self.id = id
    self.name = name
    self.groups = groups
  }

  /// The name, or the number where there is none.
  package var label: String { name ?? "user \(id)" }
}

extension Account {
  /// Whether `entry` of a rule, a name or a number, means this user.
  package func isUser(_ entry: String) -> Match { Match(of: entry, id: id, name: name) }

  /// Whether `entry` of a rule, a name or a number, is one of this user's groups.
  package func isMember(of entry: String) -> Match {
    groups.map { Match(of: entry, id: $0.id, name: $0.name) }.max() ?? .no
  }
}

/// Whether a rule is about something; what cannot be known is neither.
package enum Match: Int, Comparable, Sendable {
  case no, unknown, yes

  package static func < (left: Match, right: Match) -> Bool { left.rawValue < right.rawValue }

  /// Compares a name or number; a name that the system does not tell may be this one.
  init(of entry: String, id: UInt32, name: String?) {
    if entry == String(id) || entry == name {
      self = .yes
    } else {
      self = name == nil && UInt32(entry) == nil ? .unknown : .no
    }
  }
}
