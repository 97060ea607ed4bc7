/// The origin of a sound.
package enum SoundSource: Hashable, Sendable {
  /// The user's own directory.
  case user
  /// Installed with the program.
  case bundled
  /// A theme of the desktop, by its name; nil for sounds outside of any theme.
  case theme(String?)

  /// The kind without a name, such as `theme`.
  package var kind: String {
    switch self {
    case .user: "user"
    case .bundled: "bundled"
    case .theme: "theme"
    }
  }

  /// The name of the theme; nil for any other source.
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
