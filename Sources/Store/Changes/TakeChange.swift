internal import Control
package import JSON
package import Linux

/// A change of takes: files that were moved into the trash, out of it, or to other names.
package struct TakeChange: Hashable, Sendable {
  /// The number of the change in the journal.
  let step: Int
  /// The kind of the change.
  package let action: Action
  /// The change that is undone, done again or given up; nil for a new one.
  let original: Int?
  /// The files in the order in which they are moved.
  package internal(set) var moves: [TakeMove]
  /// The time of the change since 1970, in whole seconds.
  package internal(set) var at: Duration?
  /// The path that a change which cannot be undone has deleted; nil for any other change.
  package internal(set) var deleted: String?

  /// The kinds of changes.
  package enum Action: String, Hashable, Sendable {
    case trash, rename, undo, redo
    /// The change can never be undone or redone, because its files are gone.
    case drop
    /// `cancel --delete` deleted a recording, `--keep` a file, or a recording replaced a file that no
    /// trash could take: that cannot be undone.
    case cancel, prune, replace
    /// A shortened journal states the places that earlier changes led to.
    case places

    /// True for a change that cannot be undone.
    var isFinal: Bool { self == .cancel || self == .prune || self == .replace }
  }
}

/// A file of a take on its way from one name to another.
package struct TakeMove: Hashable, Sendable {
  /// The take, by identifier and segment.
  let take: TakeKey
  /// True for the sidecar, which goes along with its file.
  package let isSidecar: Bool
  /// The absolute path before.
  package let from: String
  /// The absolute path after.
  package let to: String
  /// The file in the trash that says where another came from; nil for a move that has nothing to do
  /// with the trash.
  let info: String?
  /// Its content; nil for a move out of the trash, after which it is removed.
  let origin: String?
  /// The file.
  let file: FileTrace

  /// The way back to a path, of the file as it is now.
  func reversed(_ file: FileTrace, to path: String) -> TakeMove {
    TakeMove(
      take: take, isSidecar: isSidecar, from: to, to: path, info: info, origin: nil, file: file)
  }

  /// The same way again, of the file as it is now and from its present path.
  func repeated(_ file: FileTrace, from path: String) -> TakeMove {
    TakeMove(
      take: take, isSidecar: isSidecar, from: path, to: to, info: info, origin: origin, file: file)
  }

  /// True for a move into the trash.
  package var isIntoTrash: Bool { origin != nil }
  /// True for a move out of the trash.
  package var isOutOfTrash: Bool { info != nil && origin == nil }
}

/// A file of a take among all takes.
struct TakeKey: Hashable, Sendable {
  let identifier: String
  let segment: Int
}

/// The facts by which a file is known again under another name.
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

  /// True for the same file: by its number, or on a filesystem that numbers files anew by the time
  /// of its last change.
  func matches(_ status: FileStatus?) -> Bool {
    guard let status, status.kind == .regular, status.size == size else { return false }
    return status.inode == inode || FileTrace(status).modified == modified
  }

  /// True for the same file, perhaps with another content.
  func isSame(_ status: FileStatus) -> Bool {
    status.kind == .regular && status.inode == inode || matches(status)
  }

  /// True where the file has this name.
  func isAt(_ path: String) -> Bool {
    matches(try? FileStatus(of: path, following: false))
  }
}

extension TakeChange: JSONConvertible {
  /// Reads what `json` wrote; nil where a member is missing or wrong.
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

  /// The line of the journal with which the change begins.
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
  /// Reads what `json` wrote; nil where a member is missing or wrong.
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
    // An inode has 64 bits without a sign, which is more than JSON has here.
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
  /// The file is not there any more.
  case missing(String)
  /// The file is a link or something else that is no regular file.
  case notRegular(String)
  /// The take is in the list of another machine that shares the home.
  case elsewhere(String)
  /// Something has the name already.
  case taken(String)
  /// A recording is about to get the name.
  case recorded(String, name: String)
  /// The directory that the file would go to is not there.
  case noDirectory(String)
  /// The filesystem of the file has no trash, and cannot get one.
  case noTrash(String, SystemError)
  /// The file could not be moved, and nothing has changed.
  case unmoved(String, SystemError)
  /// Some files were moved, and this one could not be.
  case partly(String, SystemError)
  /// One change cannot have so many files; nothing was moved.
  case tooMany(Int, most: Int)
  /// Nothing is left to undo or to redo.
  case nothing(TakeChange.Action)
  /// The last change cannot be undone; the second one is the change before it that can be.
  case final(TakeChange, after: TakeChange)
  /// The files of the change are gone for good; it was given up.
  case gone(String)
  /// Another file is where the change left its own.
  case exchanged(String)
  /// Another process changes takes all the time.
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
