internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store

/// The report of takes that were renamed, or moved into the trash or out of it.
struct ChangeReport: Report {
  private let change: TakeChange
  /// The change that was undone or redone, or nil for a new change.
  private let original: TakeChange?
  private let formerPaths: Set<Path>
  /// The message that nothing was changed, without its first word “It”.
  private let unchanged: String

  init(_ change: TakeChange, of original: TakeChange? = nil, unchanged: String? = nil) {
    self.change = change
    self.unchanged = unchanged ?? "already has that name"
    self.original = original
    formerPaths = Set(original?.moves.map { Path($0.from) } ?? [])
  }

  func text(_ style: Style) -> String {
    let (shown, others) = listed(change.moves) { !reason($0).isEmpty }
    let lines = shown.flatMap { move in
      (move.keepsPath ? [] : [line(move) + reason(move) + "\n"])
        + (move.title.map { [titled(move, $0.to) + "\n"] } ?? [])
    }
    if lines.isEmpty, let original {
      let (shown, others) = listed(original.moves)
      return shown.map { "\(pathText($0.from)) was already restored\n" }.joined() + others
    }
    return lines.isEmpty ? "It \(unchanged)\n" : lines.joined() + others + age
  }

  /// The highest number of files that are listed after an undo or a redo. Files that were restored
  /// under another name are listed in addition. After a new change, all files are listed, because
  /// the user has named each of them.
  private static let mostFiles = 5

  /// Returns the files to list, and a line with the number of the others. Files that `isSpecial`
  /// selects are always listed.
  private func listed(
    _ moves: [TakeMove], always isSpecial: (TakeMove) -> Bool = { _ in false }
  ) -> (shown: [TakeMove], others: String) {
    let files = moves.filter { !$0.isSidecar }
    if original == nil { return (files, "") }
    let shown = files.prefix(Self.mostFiles) + files.dropFirst(Self.mostFiles).filter(isSpecial)
    let others = files.count - shown.count
    return (Array(shown), others == 0 ? "" : "and \(counted(others, "more file"))\n")
  }

  /// The age of the undone change. It shows the user which change was undone.
  private var age: String {
    guard change.action == .undo, let original, original.at != nil else { return "" }
    let files = original.moves.count { !$0.isSidecar }
    return "\(files == 1 ? "It was" : "They were") \(original.deed)\(original.age).\n"
  }

  private func line(_ move: TakeMove) -> String {
    if move.isIntoTrash { return "Moved \(pathText(move.from)) to the trash" }
    if move.isOutOfTrash { return "Restored \(pathText(move.to))" }
    return "Renamed \(pathText(move.from)) to \(pathText(move.to.pathParts.name))"
  }

  private func titled(_ move: TakeMove, _ title: String) -> String {
    let path = pathText(move.to)
    return title.isEmpty
      ? "\(path) has no title now" : "The title of \(path) is now \(quoted(title))"
  }

  /// Returns the reason why an undone move restored a file to a path other than the original path.
  private func reason(_ move: TakeMove) -> String {
    guard change.action == .undo, !formerPaths.contains(Path(move.to)) else { return "" }
    return ", because its old name is taken"
  }

  var json: JSONObject {
    var members: JSONObject = ["action": change.action.rawValue.json]
    members.set("of", original?.action.rawValue)
    members["files"] = .array(
      change.moves.map { move in
        var members: JSONObject = [
          "from": move.from.json, "to": move.to.json, "sidecar": move.isSidecar.json,
        ]
        members.set("title", move.title?.to)
        return .object(members)
      })
    return members
  }
}
