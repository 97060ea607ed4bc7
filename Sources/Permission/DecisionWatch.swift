package import Linux

/// A watch for changes that may affect a decision: a change of a file that decisions depend on, or
/// a mount over the directory of such a file.
package struct DecisionWatch: ~Copyable {
  private var files: Watch
  /// The list of mounts, or nil without /proc.
  private let mounts = try? OpenFile(Descriptor(opening: "/proc/self/mountinfo"))
  /// The indexes of `files` and `mounts` in the last poll, or nil before the first poll.
  private var indexes: (files: Int, mounts: Int)?
  /// The files and directories that decisions depend on, except the policies and their directories.
  private let decisive: [String]
  private let directories: PolicyDirectories
  /// The state of the files and clocks when `isCheckDue` last returned true, or nil before that.
  private var traces: DecisionTraces?
  /// Whether there was a policy when `isCheckDue` last returned true.
  private var hasPolicy = false

  /// Watches everything that an authority reads for decisions about clients of one kind.
  package init(_ authority: Authority, of kind: Client.Kind = .caller) throws(SystemError) {
    let store = authority.store(of: kind)
    directories = authority.directories
    decisive = store.files + store.watched
    var watch = try Watch()
    for path in store.watched + directories.paths { try watch.add(path) }
    files = watch
  }

  /// The number of a descriptor that is readable after a change of a file, until `noticesChange`
  /// reads the change.
  package var number: Int32 { files.descriptor.number }

  /// Whether every change of a file ends a wait.
  package var seesAll: Bool { files.seesAll }

  /// Adds the descriptors that end a wait.
  package mutating func enlist(in poll: inout Poll) {
    indexes = (
      files: poll.add(files.descriptor.number),
      // A mount over a directory causes no event in `files`, so poll the list of mounts too.
      mounts: poll.add(mounts?.descriptor.number ?? -1, for: .urgent)
    )
  }

  /// Returns true if the last wait found a change that `noticesChange` has not read yet.
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

extension DecisionWatch {
  /// The longest time between two checks. It is shorter for a filesystem without notifications, and
  /// if there are policies: a policy may have another hard link elsewhere, and a write through that
  /// link causes no notification.
  private var longest: Duration { seesAll && !hasPolicy ? .seconds(30) : .seconds(7) }

  /// The time on the monotonic clock at which a check is due, even if nothing has changed.
  package var nextCheck: Duration {
    guard let traces else { return KernelClock.monotonic.now }
    return traces.moment + longest
  }

  /// Reads the state of the files and clocks that decisions depend on. Returns true if the state
  /// has changed, if `end` has passed, or if this function has not returned true for a long time.
  /// The state also shows jumps of the clocks, and changes on filesystems without notifications.
  ///
  /// - Parameter end: the time on the monotonic clock at which the permission expires, or nil.
  package mutating func isCheckDue(before end: Duration? = nil) -> Bool {
    let present = DecisionTraces(of: decisive, directories.paths, end)
    let limit = longest
    guard traces.map({ present.continues($0, within: limit) }) != true else { return false }
    traces = present
    hasPolicy = directories.hasPolicy
    return true
  }
}

/// The state of the files and clocks that decisions depend on. Comparing two states shows a change,
/// at the cost of a few system calls.
private struct DecisionTraces {
  private let files: [FileStatus?]
  private let policies: [FileStatus?]
  private let wallTime: Duration
  let moment: Duration
  private let deadline: Duration?

  init(of paths: [String], _ policies: [String], _ deadline: Duration?) {
    files = paths.map { path in try? FileStatus(of: path) }
    self.policies = policies.map { path in try? FileStatus(of: path) }
    wallTime = KernelClock.realTime.now
    moment = KernelClock.monotonic.now
    self.deadline = deadline
  }

  /// Returns true if nothing has changed since `former`, less than `longest` has passed, and the
  /// deadline has not passed.
  func continues(_ former: DecisionTraces, within longest: Duration) -> Bool {
    let passed = moment - former.moment
    let jump = (wallTime - former.wallTime) - passed
    return files == former.files && policies == former.policies && passed < longest
      && abs(jump / .seconds(1)) < 0.5 && deadline.map { $0 > moment } ?? true
  }
}
