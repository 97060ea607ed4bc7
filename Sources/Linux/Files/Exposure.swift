/// A way in which somebody else may change the names in a directory.
package enum Exposure: Hashable, Sendable {
  /// Another user owns it.
  case owner(UInt32)
  /// Everybody may write it; the mode.
  case everyone(UInt32)
  /// A group that has other members may write it; the mode.
  case group(UInt32, mode: UInt32)
  /// An access control list lets another user or group write it.
  case accessList
}

extension Exposure: CustomStringConvertible {
  /// Completes a sentence that begins with the directory's name.
  package var description: String { "\(fact), who could exchange what lies below it" }

  private var fact: String {
    switch self {
    case .owner(let user): "belongs to user \(user)"
    case .everyone(let mode): "can be written by everybody (mode \(String(mode, radix: 8)))"
    case .group(let group, let mode):
      "can be written by the members of group \(group) (mode \(String(mode, radix: 8)))"
    case .accessList: "can be written by others, by its access control list"
    }
  }

  /// The command with which the owner repairs it, for a path that a shell takes; nil where there is
  /// none.
  package func remedy(_ path: String) -> String? {
    switch self {
    case .owner: nil
    case .everyone: "chmod go-w \(path)"
    case .group: "chmod g-w \(path)"
    case .accessList: "setfacl -b \(path)"
    }
  }
}
