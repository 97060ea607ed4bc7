internal import Control
package import JSON
internal import Linux

/// A change of takes: files that were moved into the trash, out of it or to other names, a new
/// title, a deletion, or a failed attempt.
package struct TakeChange: Hashable, Sendable {
  /// The number of the change in the journal.
  private(set) var step: Int
  /// The kind of the change.
  package private(set) var action: Action
  /// The number of the earlier change that this change undoes, redoes or drops, or nil for a new
  /// change.
  private(set) var original: Int?
  /// The moves of files, in order.
  package internal(set) var moves: [TakeMove]
  /// The time of the change since 1970, in whole seconds.
  package internal(set) var at: Duration?
  /// The deleted path if the change is a deletion, or the command if it is a failed attempt. Nil
  /// for any other change.
  package internal(set) var subject: String?

  /// The kinds of changes.
  package enum Action: String, JSONConvertible, Hashable, Sendable {
    case trash, rename, undo, redo
    /// The original change can never be undone or redone, because its files no longer exist.
    case drop
    /// A deletion that cannot be undone: `cancel --delete` deleted a recording, `--keep` deleted a
    /// file, or `--force` replaced a file that could not be moved to the trash.
    case cancel, prune, replace
    /// A command that failed, and changed nothing.
    case fail
    /// The current paths of files, written when the journal is shortened or after a search for
    /// moved files.
    case paths = "places"

    /// True for a change that cannot be undone.
    var isFinal: Bool { self == .cancel || self == .prune || self == .replace || self == .fail }
  }
}

/// The move of a file of a take from one path to another.
package struct TakeMove: Hashable, Sendable {
  /// The file's take and segment.
  private(set) var take: TakeKey
  /// True for the sidecar, which is moved together with its sound file.
  package private(set) var isSidecar = false
  /// The name of the track if this is the file of a further track, or nil for the first file and
  /// for the sidecar.
  private(set) var track: String?
  /// The absolute path before the move.
  package private(set) var from: String
  /// The absolute path after the move.
  package private(set) var to: String
  /// The path of the information file in the trash, which contains the original path of the file.
  /// Nil if the move is not into or out of the trash.
  var info: String?
  /// The content of the information file for a move into the trash, or nil for any other move.
  /// After a move out of the trash, the information file is removed.
  var origin: String?
  /// The change of the take's title, or nil if the move does not change it.
  package internal(set) var title: TitleChange?
  /// The facts that identify the file.
  private(set) var file: FileTrace

  /// Returns the reverse move, which ends at `path`. `file` describes the file as it is now.
  func reversed(_ file: FileTrace, to path: String) -> TakeMove {
    TakeMove(
      take: take, isSidecar: isSidecar, track: track, from: to, to: path, info: info,
      title: title?.reversed, file: file)
  }

  /// Returns the same move, which begins at `path`. `file` describes the file as it is now.
  func repeated(_ file: FileTrace, from path: String) -> TakeMove {
    TakeMove(
      take: take, isSidecar: isSidecar, track: track, from: path, to: to, info: info,
      origin: origin, title: title, file: file)
  }

  /// Returns a move of the same file to `path`, not into or out of the trash.
  func redirected(to path: String) -> TakeMove {
    TakeMove(take: take, isSidecar: isSidecar, track: track, from: from, to: path, file: file)
  }

  /// Returns the same move for a file that another program has moved since. The returned move
  /// changes only the name of the file in its present directory. But a move into the trash still
  /// ends in the trash.
  ///
  /// - Parameter isMade: whether this move was made before the other program moved the file.
  func following(_ file: FileTrace, to present: String, isMade: Bool) -> TakeMove {
    func beside(_ path: String) -> String {
      keepsPath ? present : present.pathParts.directory.path(of: path.pathParts.name)
    }
    var move = self
    move.file = file
    move.from = isMade ? beside(from) : present
    move.to = isMade ? present : isIntoTrash ? to : beside(to)
    return move
  }

  /// True for the first sound file of the take: its only sound file, or the file of the first
  /// track.
  var isOfFirstFile: Bool { !isSidecar && track == nil }
  /// True for a move into the trash.
  package var isIntoTrash: Bool { origin != nil }
  /// True for a move out of the trash.
  package var isOutOfTrash: Bool { info != nil && origin == nil }
  /// True if the file keeps its path, and only the title changes.
  package var keepsPath: Bool { from.isSameName(as: to) }
}

/// The change of a take's title. An empty text means no title.
package struct TitleChange: Hashable, Sendable {
  /// The title before the change.
  private(set) var from: String
  /// The title after the change.
  package private(set) var to: String

  fileprivate var reversed: TitleChange { TitleChange(from: to, to: from) }
}

/// The identity of a segment among the segments of all takes. The sidecar and the files of all
/// tracks of a segment share this identity.
struct TakeKey: Hashable, Sendable {
  var identifier: String
  var segment: Int
}

/// The facts that identify a file after it was renamed.
struct FileTrace: Hashable, Sendable {
  private(set) var inode: UInt64 = 0
  private(set) var size: Int64 = 0
  /// The time of the last write, in nanoseconds since 1970.
  private(set) var modified: Int64 = 0
  /// The time of the creation, in nanoseconds since 1970, or nil if it is not known. Only the
  /// traces in moves contain this time, so `==` does not compare it.
  private(set) var birth: Int64?

  static func == (left: FileTrace, right: FileTrace) -> Bool {
    left.inode == right.inode && left.size == right.size && left.modified == right.modified
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(inode)
    hasher.combine(size)
    hasher.combine(modified)
  }

  /// Returns these facts with the creation time of the file at `path`, which must be the file that
  /// they describe.
  func withBirth(at path: String) -> FileTrace {
    var trace = self
    trace.birth = FileStatus.birth(of: path)?.wholeNanoseconds
    return trace
  }

  /// Returns true if `status` describes the same file: a regular file with the same size, and with
  /// the same inode or the same modification time. The inode may differ, because some filesystems
  /// assign new inodes.
  func matches(_ status: FileStatus?) -> Bool {
    guard let status, status.kind == .regular, status.size == size else { return false }
    return status.inode == inode || FileTrace(status).modified == modified
  }

  /// Returns true if the file at `path` is the same file, possibly with changed content, or a copy
  /// with the same size and time.
  ///
  /// Filesystems reuse inodes. So a file that was created later is another file, even if it has the
  /// same inode.
  ///
  /// - Parameter present: the facts of the file at `path`.
  func isSame(as present: FileTrace, at path: String) -> Bool {
    isCopied(to: present) || inode == present.inode && !precedesFile(at: path)
  }

  /// Returns true if the file at `path` was created later than this file. If the creation time of
  /// this file is not known, the time of its last write is used instead. Returns false if the
  /// filesystem stores no creation times.
  func precedesFile(at path: String) -> Bool {
    let latest = birth ?? modified
    return FileStatus.birth(of: path).map { $0.wholeNanoseconds > latest } ?? false
  }

  /// The possible resolutions of stored times, in nanoseconds. They depend on the filesystem and on
  /// the file manager that copied the file.
  private static let steps: [Int64] = [
    1, 100, 1_000, 1_000_000, 10_000_000, 1_000_000_000, 2_000_000_000,
  ]

  /// Returns true if the other file has the size and the time that a copy of this file would have.
  func isCopied(to other: FileTrace) -> Bool {
    size == other.size
      && Self.steps.contains { modified - modified % $0 == other.modified }
  }

  /// Returns true if the file is at this path. A file that was created later is another file, even
  /// if it has the same inode and size.
  func isAt(_ path: String) -> Bool {
    guard let status = try? FileStatus(of: path, following: false), matches(status) else {
      return false
    }
    return FileTrace(status).modified == modified || !precedesFile(at: path)
  }
}

extension FileTrace {
  /// The JSON key of the traces in a line of the catalogue.
  static let key = "traces"

  /// Creates the facts of the file at `path`. If no file exists there, the facts match no file.
  init(of path: String) {
    self = (try? FileStatus(of: path, following: false)).map { FileTrace($0) } ?? FileTrace()
  }

  init(_ status: FileStatus) {
    inode = status.inode
    size = status.size
    modified = status.modified.wholeNanoseconds
  }

  init(_ entry: FileSizes.Entry) {
    (inode, size, modified) = (entry.inode, entry.size, entry.modified)
  }
}

extension TakeChange: JSONMembers {
  /// A change whose members are about to be read.
  package static var blank: TakeChange {
    TakeChange(step: 0, action: .paths, original: nil, moves: [])
  }

  /// Lists the members of the journal line that begins the change.
  package mutating func list(in form: inout JSONForm) {
    form.member("step", &step, in: .ordinals)
    form.member("action", &action)
    form.member("of", &original, in: .ordinals)
    form.member("at", &at, or: .some(nil), Duration.init(moment:)) { $0?.moment }
    form.member("subject", &subject)
    form.member("moves", &moves)
  }
}

extension TakeMove: JSONMembers {
  /// A move whose members are about to be read.
  package static var blank: TakeMove {
    TakeMove(take: TakeKey(identifier: "", segment: 1), from: "", to: "", file: FileTrace())
  }

  /// Lists the members of the object within a change.
  package mutating func list(in form: inout JSONForm) {
    form.member("take", &take.identifier)
    form.member("segment", &take.segment, in: .ordinals)
    form.member("sidecar", &isSidecar, or: false)
    form.member("track", &track)
    form.member("from", &from)
    form.member("to", &to)
    form.require(from.begins(with: "/") && to.begins(with: "/"))
    form.member("info", &info)
    form.member("origin", &origin)
    form.member("title", &title)
    form.member("file", &file)
  }
}

extension TitleChange: JSONMembers {
  /// A change whose members are about to be read.
  package static var blank: TitleChange { TitleChange(from: "", to: "") }

  /// Lists the members of the object within a move.
  package mutating func list(in form: inout JSONForm) {
    form.member("from", &from)
    form.member("to", &to)
  }
}

extension FileTrace: JSONMembers {
  static var blank: FileTrace { FileTrace() }

  mutating func list(in form: inout JSONForm) {
    // The inode is written as a string, because it is an unsigned 64-bit number, and the integers
    // of `JSONValue` are signed.
    form.member("inode", &inode, { $0.string.flatMap { UInt64($0) } }) { "\($0)".json }
    form.member("size", &size, in: .sizes)
    form.member("modified", &modified)
    form.member("birth", &birth)
  }
}
