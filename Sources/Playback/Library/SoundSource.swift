/// Where a sound comes from.
package enum SoundSource: Hashable, Sendable {
  /// The user's own directory.
  case user
  /// Installed with the program.
  case bundled
  /// A theme of the desktop, by its name; nil for sounds that lie beside the themes.
  case theme(String?)
}

extension SoundSource: CustomStringConvertible {
  /// `theme freedesktop`.
  package var description: String {
    switch self {
    case .user: "user"
    case .bundled: "bundled"
    case .theme(let name): name.map { "theme \($0)" } ?? "no theme"
    }
  }
}
