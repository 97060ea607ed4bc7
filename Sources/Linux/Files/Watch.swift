internal import CLinux
internal import Glibc

/// A watch that reports changes in directories, including directories that do not exist yet. It
/// uses the kernel's inotify.
///
/// The parents of an added directory are watched too. So the watch notices if a directory on the
/// path is created, moved, replaced or removed, and continues with the new directory at the path.
package struct Watch: ~Copyable, Sendable {
  /// Readable while changes are waiting.
  package let descriptor: Descriptor
  private var paths: [String] = []
  private var watched: [CInt: String] = [:]
  /// True if every change causes an event. False if a watched directory is on a server or cannot be
  /// read.
  package private(set) var seesAll = true

  /// Creates a watch without directories.
  package init() throws(SystemError) {
    descriptor = Descriptor(
      owning: try checked("inotify_init1") { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) })
  }

  /// Adds the directory at an absolute path. The directory need not exist yet.
  package mutating func add(_ path: String) throws(SystemError) {
    guard path.begins(with: "/") else {
      throw SystemError("inotify_add_watch", path, errno: .invalid)
    }
    paths.append(Self.components(of: path).last ?? "/")
    try follow()
  }

  /// Returns, without waiting, whether there were changes since the last call: to the names in an
  /// added directory, to the content or the mode of its files, or to the directories on its path.
  package mutating func takeChanges() throws(SystemError) -> Bool {
    var (isChanged, isMoved) = (false, false)
    for event in try pendingEvents() {
      isChanged = isChanged || isInside(event)
      isMoved = isMoved || movesPath(event)
    }
    if isMoved { try follow() }
    return isChanged || isMoved
  }

  /// Whether an event is about a name in an added directory, and not in a directory above it.
  private func isInside(_ event: WatchEvent) -> Bool {
    event.name != nil && watched[event.watch].map(paths.contains) ?? false
  }

  /// Whether an added directory, or a directory above it, appeared, disappeared or changed its
  /// mode, or the kernel lost events.
  private func movesPath(_ event: WatchEvent) -> Bool {
    if event.isOverflow { return true }
    guard let directory = watched[event.watch], event.name == nil || event.movesNames else {
      return false
    }
    let changed = event.name.map(directory.path(of:)) ?? directory
    return paths.contains { $0.isAtOrBelow(changed) }
  }

  /// Watches every existing directory on the way to each path, and stops watching directories that
  /// no longer exist. Call it after a mount, because a mount replaces directories without an event.
  package mutating func follow() throws(SystemError) {
    var found: [CInt: String] = [:]
    seesAll = true
    for path in paths {
      var last = "/"
      for directory in Self.components(of: path) {
        // The loop goes from the top down. So if a directory is created during this loop, its
        // parent is already watched, and the watch gets an event.
        guard let watch = try addWatch(directory, isNamed: paths.contains(name: directory)) else {
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

  /// Returns the number of the watch, −1 if the directory does not exist, or nil if this process
  /// may not read it.
  private func addWatch(_ directory: String, isNamed: Bool) throws(SystemError) -> CInt? {
    let nameEvents =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_ONLYDIR
    // In the parents, only names and modes matter. A watch on every write in /tmp or a home
    // directory would report events all the time.
    let mask = UInt32(isNamed ? nameEvents | IN_MODIFY | IN_CLOSE_WRITE : nameEvents)
    do {
      return try checked("inotify_add_watch", directory) {
        unsafe inotify_add_watch(descriptor.number, directory, mask)
      }
    } catch let error where error.errno == .noSuchFile || error.errno == .notDirectory {
      return -1
    } catch let error where error.errno == .accessDenied {
      return nil
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

/// A `struct inotify_event`.
private struct WatchEvent {
  let watch: CInt
  let mask: UInt32
  /// The name in the directory, or nil if the event is about the directory itself.
  let name: String?

  var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

  /// True if the name now refers to another file, or to none.
  var movesNames: Bool {
    mask & UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) != 0
  }

  /// Returns the events in the bytes of one read from an inotify descriptor.
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
