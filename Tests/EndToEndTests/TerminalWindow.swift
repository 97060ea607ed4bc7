import Foundation
import Support

/// A tmux window with a bash. Its socket is in the home of a studio.
final class TerminalWindow {
  let studio: Studio

  init(_ studio: Studio, columns: Int = 80, rows: Int = 24) throws {
    self.studio = studio
    try tmux("new-session -d -x \(columns) -y \(rows) -s w bash --norc --noprofile")
    try wait { $0.contains("$") }
  }

  deinit { _ = try? tmux("kill-server") }

  @discardableResult
  func tmux(_ command: String) throws -> String {
    let outcome = try studio.run(
      "export ENV= PS1='$ '; tmux -S \"$HOME/window\" -f /dev/null \(command)")
    guard outcome.code == 0 else { throw Studio.NotStarted(outcome: outcome) }
    return outcome.output
  }

  /// Types text literally, without Enter.
  func type(_ text: String) throws { try tmux("send-keys -t w -l -- '\(text)'") }

  /// Types keys by their names in tmux, such as `Enter`, `Up` and `C-c`.
  func press(_ keys: String...) throws {
    try tmux("send-keys -t w \(keys.joined(separator: " "))")
  }

  /// Types a command line into the shell, which starts in the home directory.
  func run(_ line: String) throws {
    try type(line)
    try press("Enter")
  }

  func resize(columns: Int, rows: Int) throws {
    try tmux("resize-window -t w -x \(columns) -y \(rows)")
  }

  /// Returns the lines of the window, without the empty ones at its end.
  func lines() throws -> [String] { try captured("") }

  private func captured(_ options: String) throws -> [String] {
    let text = try tmux("capture-pane -p \(options) -t w")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(
        line.prefix(upTo: line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex))
    }
    return Array(lines[..<((lines.lastIndex { !$0.isEmpty } ?? -1) + 1)])
  }

  /// Waits until the content of the window meets a condition, and returns its lines.
  ///
  /// - Parameter condition: gets the text of the window. Lines that were too long for the window
  ///   are joined.
  @discardableResult
  func wait(
    limit: Duration = .seconds(60), until condition: (String) -> Bool
  ) throws -> [String] {
    let isShown = try comesTrue(within: limit) {
      condition(try captured("-J").joined(separator: "\n"))
    }
    guard isShown else { throw NotShown(lines: try lines()) }
    return try lines()
  }

  /// A window that did not show the expected content in time.
  struct NotShown: Error {
    let lines: [String]
  }
}
