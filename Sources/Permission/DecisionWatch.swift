package import Linux

/// A watch for changes that may affect a decision: a change of its files, or a mount over one of
/// their directories.
package struct DecisionWatch: ~Copyable {
  private var files: Watch
  /// The list of mounts, or nil without /proc.
  private let mounts = try? OpenFile(Descriptor(opening: "/proc/self/mountinfo"))
  /// The indexes of `files` and `mounts` in the last poll, or nil before the first poll.
  private var indexes: (files: Int, mounts: Int)?

  /// Watches everything that an authority reads for decisions about clients of one kind.
  package init(_ authority: Authority, of kind: Client.Kind = .caller) throws(SystemError) {
    var watch = try Watch()
    for path in authority.store(of: kind).watched + authority.directories.paths {
      try watch.add(path)
    }
    files = watch
  }

  /// The number of a descriptor that is readable after a change of a file, until `noticesChange`.
  package var number: Int32 { files.descriptor.number }

  /// Whether every change of a file ends a wait.
  package var seesAll: Bool { files.seesAll }

  /// Adds the descriptors that end a wait.
  package mutating func enlist(in poll: inout Poll) {
    indexes = (
      files: poll.add(files.descriptor.number),
      // A mount replaces a directory, but causes no event for it.
      mounts: poll.add(mounts?.descriptor.number ?? -1, for: .urgent)
    )
  }

  /// Whether the last wait found a change, before `noticesChange` reads it.
  package func isPending(_ poll: borrowing Poll) -> Bool {
    indexes.map { !poll[$0.files].isEmpty || !poll[$0.mounts].isEmpty } ?? false
  }

  /// Reads the changes that the last wait found. Returns true if a decision may have changed.
  package mutating func noticesChange(_ poll: borrowing Poll) -> Bool {
    guard let indexes else { return false }
    let isMounted = !poll[indexes.mounts].isEmpty
    guard isMounted || !poll[indexes.files].isEmpty else { return false }
    do throws(SystemError) {
      if isMounted { try files.follow() }
      return try files.takeChanges() || isMounted
    } catch {
      return true
    }
  }
}
