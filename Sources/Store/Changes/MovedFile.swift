internal import Linux

/// The steps of one move. The process may die after each of these steps.
struct MovedFile {
  private let move: TakeMove

  init(_ move: TakeMove) { self.move = move }

  /// Moves the file without replacing another file. If this function throws, the file is still at
  /// its old path.
  func make() throws(SystemError) {
    let ((parent, name), (target, new)) = (move.from.pathParts, move.to.pathParts)
    let from = try Directory(parent)
    let to = try Directory(target)
    guard move.file.matches(try from.status(of: name)) else {
      throw SystemError("renameat2", move.from, errno: .noSuchFile)
    }
    if move.keepsPath { return }
    if let info = move.info, let origin = move.origin { try announce(origin, at: info) }
    do {
      try from.move(name, to: new, in: to)
    } catch {
      withdraw()
      throw error
    }
    try? to.synchronize()
    try? from.synchronize()
    tidy()
  }

  /// Removes the leftovers of a completed move: the information file after a move out of the trash,
  /// and the old name if the file was moved by a hard link.
  func tidy() {
    if move.keepsPath { return }
    let old = try? FileStatus(of: move.from, following: false)
    if let old, let new = try? FileStatus(of: move.to, following: false), old.links > 1,
      old.isSameFile(as: new)
    {
      Self.remove(move.from)
    } else if old != nil {
      return
    }
    if move.isOutOfTrash, let info = move.info { Self.remove(info) }
  }

  /// If the file was not moved into the trash, removes its information file. Does nothing if the
  /// content of the information file is not `origin` or a beginning of `origin`.
  ///
  /// If the information file remained and another program moved a file to the same path in the
  /// trash, the desktop would restore that file to the wrong path.
  func withdraw() {
    guard let info = move.info, let origin = move.origin, !move.file.isAt(move.to),
      let file = try? Descriptor(opening: info, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: 1 << 16), origin.utf8.starts(with: bytes)
    else { return }
    Self.remove(info)
  }

  /// Writes the information file, which reserves the name in the trash.
  private func announce(_ origin: String, at info: String) throws(SystemError) {
    let (parent, name) = info.pathParts
    let directory = try Directory(parent)
    let file = try directory.open(name, [.writeOnly, .create, .exclusive, .noFollow])
    do {
      try file.writeAll(Array(origin.utf8).span)
      try file.synchronize()
    } catch {
      try? directory.remove(name)
      throw error
    }
  }

  private static func remove(_ path: String) {
    let (parent, name) = path.pathParts
    guard let directory = try? Directory(parent) else { return }
    try? directory.remove(name)
  }
}
