internal import Control
package import JSON
package import Linux

/// A change of takes: files that were moved into the trash, out of it, or to other names.
package struct TakeChange: Hashable, Sendable {
  /// The number of the change in the journal.
  let step: Int
  /// The kind of the change.
  package let action: Action
  /// The number of the change that is undone, redone or dropped, or nil for a new change.
  let original: Int?
  /// The moves of files, in order.
  package internal(set) var moves: [TakeMove]
  /// The time of the change since 1970, in whole seconds.
  package internal(set) var at: Duration?
  /// The path that was deleted by a change that cannot be undone, or nil for any other change.
  package internal(set) var deleted: String?

  /// The kinds of changes.
  package enum Action: String, Hashable, Sendable {
    case trash, rename, undo, redo
    /// The change can never be undone or redone, because its files no longer exist.
    case drop
    /// A deletion that cannot be undone: of a recording by `cancel --delete`, of a file by
    /// `--keep`, or of a file that a recording replaced because no trash could take it.
    case cancel, prune, replace
    /// The paths that resulted from earlier changes, in a shortened journal.
    case paths = "places"

    /// True for a change that cannot be undone.
    var isFinal: Bool { self == .cancel || self == .prune || self == .replace }
  }
}

/// The move of a file of a take from one name to another.
package struct TakeMove: Hashable, Sendable {
  /// The file's take and segment.
  let take: TakeKey
  /// True for the sidecar, which is moved together with its sound file.
  package let isSidecar: Bool
  /// The absolute path before.
  package let from: String
  /// The absolute path after.
  package let to: String
  /// The information file in the trash, which states the original path of a file, or nil if the
  /// move does not involve the trash.
  let info: String?
  /// The content of the information file, or nil for a move out of the trash. After such a move the
  /// information file is removed.
  let origin: String?
  /// The facts that identify the file.
  let file: FileTrace

  /// Returns the reverse move to a path. `file` describes the file as it is now.
  func reversed(_ file: FileTrace, to path: String) -> TakeMove {
    TakeMove(
      take: take, isSidecar: isSidecar, from: to, to: path, info: info, origin: nil, file: file)
  }

  /// Returns the same move from another path. `file` describes the file as it is now.
  func repeated(_ file: FileTrace, from path: String) -> TakeMove {
    TakeMove(
      take: take, isSidecar: isSidecar, from: path, to: to, info: info, origin: origin, file: file)
  }

  /// True for a move into the trash.
  package var isIntoTrash: Bool { origin != nil }
  /// True for a move out of the trash.
  package var isOutOfTrash: Bool { info != nil && origin == nil }
}

/// The identifier of a file among the files of all takes.
struct TakeKey: Hashable, Sendable {
  let identifier: String
  let segment: Int
}

/// The facts that identify a file under another name.
struct FileTrace: Hashable, Sendable {
  let inode: UInt64
  let size: Int64
  let modified: Int64

  init(inode: UInt64, size: Int64, modified: Int64) {
    (self.inode, self.size, self.modified) = (inode, size, modified)
  }

  init(_ status: FileStatus) {
    inode = status.inode
    size = status.size
    modified = status.modified.wholeNanoseconds
  }

  /// Returns true for the same file. It has the same size, and the same inode or the same
  /// modification time: some filesystems assign new inodes.
  func matches(_ status: FileStatus?) -> Bool {
    guard let status, status.kind == .regular, status.size == size else { return false }
    return status.inode == inode || FileTrace(status).modified == modified
  }

  /// Returns true for the same file, possibly with changed content.
  func isSame(_ status: FileStatus) -> Bool {
    status.kind == .regular && status.inode == inode || matches(status)
  }

  /// Returns true if the file is at this path.
  func isAt(_ path: String) -> Bool {
    matches(try? FileStatus(of: path, following: false))
  }
}

extension TakeChange: JSONConvertible {
  /// Reads the output of `json`. Returns nil if a member is missing or invalid.
  package init?(json: JSONValue) {
    guard let step = json["step"]?.integer(in: .ordinals),
      let action = json["action"]?.string.flatMap(Action.init(rawValue:)),
      let moves = json["moves"].flatMap([TakeMove].init(json:))
    else { return nil }
    self.step = step
    self.action = action
    self.moves = moves
    original = json["of"]?.integer(in: .ordinals)
    at = json["at"].flatMap { Duration(moment: $0) }
    deleted = json["deleted"]?.string
  }

  /// The journal line with which the change begins.
  package var json: JSONValue {
    var members: JSONObject = ["step": step.json, "action": action.rawValue.json]
    members.set("of", original)
    members["at"] = at?.moment
    members.set("deleted", deleted)
    members["moves"] = moves.json
    return .object(members)
  }
}

extension TakeMove: JSONConvertible {
  /// Reads the output of `json`. Returns nil if a member is missing or invalid.
  package init?(json: JSONValue) {
    guard let identifier = json["take"]?.string, let from = json["from"]?.string,
      let to = json["to"]?.string, let file = json["file"].flatMap(FileTrace.init(json:)),
      from.begins(with: "/"), to.begins(with: "/")
    else { return nil }
    take = TakeKey(
      identifier: identifier, segment: json["segment"]?.integer(in: .ordinals) ?? 1)
    isSidecar = json["sidecar"]?.bool ?? false
    self.from = from
    self.to = to
    self.file = file
    info = json["info"]?.string
    origin = json["origin"]?.string
  }

  /// The object within a change.
  package var json: JSONValue {
    var members: JSONObject = ["take": take.identifier.json, "segment": take.segment.json]
    if isSidecar { members.set("sidecar", true) }
    members.set("from", from)
    members.set("to", to)
    members.set("info", info)
    members.set("origin", origin)
    members["file"] = file.json
    return .object(members)
  }
}

extension FileTrace: JSONConvertible {
  init?(json: JSONValue) {
    // An inode is an unsigned 64-bit number, which does not fit into a JSON integer here.
    guard let inode = json["inode"]?.string.flatMap({ UInt64($0) }),
      let size = json["size"]?.integer(in: .sizes),
      let modified = json["modified"].flatMap(Int64.init(json:))
    else { return nil }
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  var json: JSONValue {
    ["inode": "\(inode)".json, "size": size.json, "modified": modified.json]
  }
}

/// The reason that takes cannot be changed, undone or redone.
package enum TakeChangeError: Error, Hashable, Sendable {
  /// The take has no file.
  case unfiled
  /// The file no longer exists.
  case missing(String)
  /// The file is a link or another kind of file that is not regular.
  case notRegular(String)
  /// The take is in the list of another machine that shares the home.
  case elsewhere(String)
  /// The name is already in use.
  case taken(String)
  /// A recording is about to get the name.
  case recorded(String, name: String)
  /// The directory that the file would be moved to does not exist.
  case noDirectory(String)
  /// The filesystem of the file has no trash, and cannot get one.
  case noTrash(String, SystemError)
  /// The file could not be moved. Nothing has changed.
  case unmoved(String, SystemError)
  /// Some files were moved, but this one could not be moved.
  case partly(String, SystemError)
  /// The change has more files than allowed. Nothing was moved.
  case tooMany(Int, most: Int)
  /// Nothing is left to undo or to redo.
  case nothing(TakeChange.Action)
  /// The last change cannot be undone. The second value is the latest change before it that can be
  /// undone.
  case final(TakeChange, after: TakeChange)
  /// The files of the change no longer exist. The change was dropped.
  case gone(String)
  /// Another file is at the path where the change left its file.
  case exchanged(String)
  /// Another process has held the lock of changes for too long.
  case busy
  /// The state directory cannot be used.
  case directory(DirectoryRefusal)
  /// The journal cannot be read or written.
  case system(SystemError)

  /// True if another name would help.
  var isOfTakenName: Bool {
    switch self {
    case .taken, .recorded: true
    default: false
    }
  }
}
