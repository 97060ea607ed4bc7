internal import CLinux
internal import Glibc

/// Reports changes of names in directories, also in one that does not exist yet. The C function is
/// `inotify`.
///
/// Every directory on the way is watched too, so one that is made, moved, replaced or removed is
/// noticed and the watch follows its path.
package struct Watch: ~Copyable, Sendable {
  /// A change that was seen.
  package enum Change: Hashable, Sendable {
    /// Something about `name` in a watched directory: made, written, renamed, removed, or its mode.
    case name(String, in: String)
    /// The watched directory, or one above it, came or went: everything in it may be different.
    case place(String)
    /// The kernel lost events: anything may have changed.
    case overflow
  }

  /// Readable while changes wait.
  package let descriptor: Descriptor
  private var paths: [String] = []
  private var watched: [CInt: String] = [:]
  /// True where every change makes an event; false for a directory that a server keeps, or that may
  /// not be read.
  package private(set) var seesAll = true

  /// A watch without directories.
  package init() throws(SystemError) {
    descriptor = Descriptor(
      owning: try checked("inotify_init1") { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) })
  }

  /// Also watches the directory at an absolute path, whether or not it exists now.
  package mutating func add(_ path: String) throws(SystemError) {
    guard path.begins(with: "/") else {
      throw SystemError("inotify_add_watch", path, errno: .invalid)
    }
    paths.append(Self.components(of: path).last ?? "/")
    try follow()
  }

  /// Takes the changes since the last call; none where nothing happened. Never waits.
  package mutating func changes() throws(SystemError) -> [Change] {
    var changes: [Change] = []
    for event in try pendingEvents() {
      for change in self.changes(of: event) where changes.last != change {
        changes.append(change)
      }
    }
    if changes.contains(where: { if case .name = $0 { false } else { true } }) { try follow() }
    return changes
  }

  private func changes(of event: WatchEvent) -> [Change] {
    if event.isOverflow { return [.overflow] }
    guard let directory = watched[event.watch] else { return [] }
    guard let name = event.name else {
      return paths.filter { $0.isAtOrBelow(directory) }.map { .place($0) }
    }
    let whole = directory.path(of: name)
    let places = paths.filter { $0.isAtOrBelow(whole) && event.movesNames }
    if !places.isEmpty { return places.map { .place($0) } }
    return paths.contains(directory) ? [.name(name, in: directory)] : []
  }

  /// Watches each directory on the way to each path, and none that is no longer there; a mount
  /// replaces directories without an event.
  package mutating func follow() throws(SystemError) {
    var found: [CInt: String] = [:]
    seesAll = true
    for path in paths {
      var last = "/"
      for directory in Self.components(of: path) {
        // From the top down: what appears after its parent is watched makes an event.
        guard let watch = try addWatch(directory, isNamed: paths.contains(directory)) else {
          seesAll = false
          continue
        }
        if watch < 0 { break }
        found[watch] = directory
        last = directory
      }
      seesAll = seesAll && FileSystem.isLocal(last)
    }
    for watch in watched.keys where found[watch] == nil {
      inotify_rm_watch(descriptor.number, watch)
    }
    watched = found
  }

  /// Returns the watch's number; −1 where there is no such directory; nil where we may not read it.
  private func addWatch(_ directory: String, isNamed: Bool) throws(SystemError) -> CInt? {
    let places =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_ONLYDIR
    // In directories above, only names count: a watch on every write in /tmp or a home would never
    // rest.
    let mask = UInt32(isNamed ? places | IN_MODIFY | IN_CLOSE_WRITE : places)
    do {
      return try checked("inotify_add_watch", directory) {
        unsafe inotify_add_watch(descriptor.number, directory, mask)
      }
    } catch {
      if error.errno == .noSuchFile || error.errno == .notDirectory { return -1 }
      if error.errno == .accessDenied { return nil }
      throw error
    }
  }

  private func pendingEvents() throws(SystemError) -> [WatchEvent] {
    var events: [WatchEvent] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while let count = try descriptor.readIfReady(into: &buffer) {
      events += WatchEvent.parse(unsafe buffer.span.bytes.extracting(first: count))
    }
    return events
  }

  /// `/a/b` → `/`, `/a`, `/a/b`.
  private static func components(of path: String) -> [String] {
    path.pathNames.reduce(into: ["/"]) { directories, name in
      directories.append((directories.last ?? "/").path(of: name))
    }
  }
}

extension String {
  fileprivate func isAtOrBelow(_ directory: String) -> Bool {
    directory == "/" || isSameName(as: directory) || begins(with: directory + "/")
  }
}

/// One `struct inotify_event`.
private struct WatchEvent {
  let watch: CInt
  let mask: UInt32
  /// The name in the directory, or nil where the event is about the directory itself.
  let name: String?

  var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

  /// True where the name now stands for something else, or for nothing.
  var movesNames: Bool {
    mask & UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) != 0
  }

  /// The events in what one read of an inotify descriptor delivered.
  static func parse(_ bytes: RawSpan) -> [WatchEvent] {
    var events: [WatchEvent] = []
    var rest = bytes
    let header = MemoryLayout<inotify_event>.size
    while rest.byteCount >= header {
      let length = Int(unsafe rest.unsafeLoad(fromByteOffset: 12, as: UInt32.self))
      let name = rest.extracting(header..<(header + length))
      events.append(
        WatchEvent(
          watch: unsafe rest.unsafeLoad(as: CInt.self),
          mask: unsafe rest.unsafeLoad(fromByteOffset: 4, as: UInt32.self), name: text(of: name)))
      rest = rest.extracting(droppingFirst: header + length)
    }
    return events
  }

  // The kernel pads a name with NULs.
  private static func text(of bytes: RawSpan) -> String? {
    let text = unsafe bytes.withUnsafeBytes { unsafe $0.prefix { $0 != 0 } }
    return unsafe text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }
}
