/// The help for the keys of a view, in lines below the view. The keys `?` and `h` show the whole
/// help.
package struct KeyHint: Hashable, Sendable {
  /// Each key with its effect, the most important first.
  private let keys: [String]
  /// Whether all keys are shown, because the user asked for them.
  private var isWhole = false

  private init(_ keys: [String]) { self.keys = keys }

  /// Returns the keys of a recording in the foreground.
  ///
  /// - Parameter isJob: whether Ctrl-Z returns the terminal to a shell.
  package static func recording(isJob: Bool) -> KeyHint {
    let leaving = isJob ? ["Ctrl-Z continues in the background"] : []
    return KeyHint(["q stops", "space pauses", "m marks"] + leaving)
  }

  /// The keys of a meter, and of a page that updates continuously. The recordings or sounds on the
  /// page continue after the view is closed.
  package static let watching = KeyHint(["q closes this view"])

  /// The keys of a file that is playing.
  static let playing = KeyHint([
    "q ends", "space pauses", "left and right move by 5 s", "up and down change the volume",
  ])

  /// Handles the keys that show or hide the help, and returns the other keys.
  mutating func take(_ typed: [Key]) -> [Key] {
    typed.filter { key in
      guard key == .character("?") || key == .character("h") else { return true }
      isWhole.toggle()
      return false
    }
  }

  /// Returns the lines of a view, with the help for the keys below them if it fits into `rows`.
  func below(_ view: [String], width: Int, rows: Int) -> [String] {
    guard isWhole else { return view.count < rows ? view + [brief(width)] : view }
    let lines = joined(keys, by: ", ", width: width).map { shortened($0, to: width) }
    return view.count + lines.count <= rows ? view + lines : Array(lines.prefix(rows))
  }

  /// Returns the first keys in one line, and the key that shows the others.
  private func brief(_ width: Int) -> String {
    let whole = keys.joined(separator: ", ")
    if columns(of: whole) <= width { return whole }
    let texts = (0..<keys.count).reversed().map { count in
      (keys.prefix(count) + ["? for keys"]).joined(separator: ", ")
    }
    return texts.first { columns(of: $0) <= width } ?? shortened("?", to: width)
  }
}
