/// The keys of a view, in lines below it; `?` and `h` show all of them.
package struct KeyHint: Hashable, Sendable {
  /// Each key with its effect, the most important first.
  private let keys: [String]
  /// Whether all keys are shown, because the user asked for them.
  private var isWhole = false

  private init(_ keys: [String]) { self.keys = keys }

  /// The keys of a recording in the foreground.
  ///
  /// - Parameter isJob: whether Ctrl-Z gives the terminal back to a shell.
  package static func recording(isJob: Bool) -> KeyHint {
    let leaving = isJob ? ["Ctrl-Z continues in the background"] : []
    return KeyHint(["q stops", "space pauses", "m marks"] + leaving)
  }

  /// The keys of a meter, and of a page that is watched.
  package static let watching = KeyHint(["q ends"])

  /// The keys of a file that is played.
  static let playing = KeyHint([
    "q ends", "space pauses", "left and right move by 5 s", "up and down change the volume",
  ])

  /// Takes the keys that ask for help out of those that were typed.
  mutating func take(_ typed: [Key]) -> [Key] {
    typed.filter { key in
      guard key == .character("?") || key == .character("h") else { return true }
      isWhole.toggle()
      return false
    }
  }

  /// The lines of a view with the keys below them, as far as there are rows.
  func below(_ view: [String], width: Int, rows: Int) -> [String] {
    guard isWhole else { return view.count < rows ? view + [brief(width)] : view }
    let lines = joined(keys, by: ", ", width: width).map { shortened($0, to: width) }
    return view.count + lines.count <= rows ? view + lines : Array(lines.prefix(rows))
  }

  /// The first keys in one line, and how to see the others.
  private func brief(_ width: Int) -> String {
    let whole = keys.joined(separator: ", ")
    if columns(of: whole) <= width { return whole }
    let texts = (0..<keys.count).reversed().map { count in
      (keys.prefix(count) + ["? for keys"]).joined(separator: ", ")
    }
    return texts.first { columns(of: $0) <= width } ?? shortened("?", to: width)
  }
}
