/// The origin of a sound.
package enum SoundSource: Hashable, Sendable {
  /// The user's own directory.
  case user
  /// Installed with the program.
  case bundled
  /// A theme of the desktop, by its name; nil for sounds that lie beside the themes.
  case theme(String?)

  /// The kind alone: `theme`.
  package var kind: String {
    switch self {
    case .user: "user"
    case .bundled: "bundled"
    case .theme: "theme"
    }
  }

  /// The name of the theme, where there is one.
  package var theme: String? { if case .theme(let name) = self { name } else { nil } }
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
