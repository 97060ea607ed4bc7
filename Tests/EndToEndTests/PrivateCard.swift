import Foundation
import Support
import Testing

/// Runs a script next to a private PipeWire server, and returns the lines of its output. A failed
/// script is an issue of the test.
func runBesideCard(
  _ script: String, environment: [String: String?] = [:]
) throws -> [String] {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path
  let standard: [String: String?] = [
    "recorder": try Products.recorder, "root": root, "RECORDER_PERMISSION": nil,
    "RECORDER_NO_PROMPT": nil,
  ]
  let ended = try Tool.run(
    "\(root)/scripts/with-paced-card",
    ["sh", "-c", "\(shellFunctions)\(cardFunctions)\n\(script)"],
    environment: standard.merging(environment) { $1 }, limit: .seconds(90))
  try #require(ended.code == 0, "\(ended.outputText)\(ended.errorText)")
  return ended.outputText.split(separator: "\n").map(String.init)
}

/// Functions for these scripts. `card` breaks and repairs the server. `pid` prints the process of
/// the session. The home directory has every permission.
private let cardFunctions = """
  cd "$HOME"; "$recorder" permission grant >/dev/null
  "$recorder" permission grant system-audio >/dev/null 2>&1
  card() { "$root/scripts/paced-card" "$@"; }
  pid() { cat "$XDG_STATE_HOME"/recorder/machines/*/sessions/default.json | number pid; }
  """

extension [String] {
  /// Returns the number after a word at the start of a line.
  func number(after word: String) throws -> Int {
    let line = try #require(last { $0.hasPrefix(word + " ") }, "\(self)")
    return try #require(Int(line.dropFirst(word.count + 1)))
  }
}
