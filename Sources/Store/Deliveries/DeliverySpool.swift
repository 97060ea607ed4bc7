internal import Audio
package import Control
internal import Digest
internal import JSON
package import Linux

/// The spool directory of a series. It contains an entry for each recorded file that waits for its
/// delivery, and a file with the counts of the series.
///
/// An entry is a file named NUMBER.TAKE.SEGMENT.json. The order of the sorted names is the order of
/// delivery. TAKE and SEGMENT identify the recorded file.
package struct DeliverySpool: Sendable {
  /// The path that all files of the series share.
  package let series: String
  private let store: MachineStore
  private let path: String

  init(_ store: MachineStore, of series: String) {
    self.store = store
    self.series = series
    path = store.paths.deliveries.path(of: Self.key(series))
  }

  /// Opens the spool in the directory called `name`. Returns nil if no file in this directory
  /// contains the path of the series.
  init?(_ store: MachineStore, in name: String) throws(DirectoryRefusal) {
    let path = store.paths.deliveries.path(of: name)
    let known = try store.names(in: path).reversed().lazy.compactMap { file in
      (store.read(file, in: path) as DeliveryState?)?.series
        ?? (store.read(file, in: path) as WaitingFile?)?.result.delivery?.series
    }
    guard let series = known.first(where: { Self.key($0) == name }) else { return nil }
    self.init(store, of: series)
  }

  private static let state = "state.json"
  private static let turnLock = "turn.lock"
  private static let digits = 10
  private static let largestNumber = 9_999_999_999

  fileprivate static let keyLength = 32

  private static func key(_ series: String) -> String {
    String(SHA256(of: series.utf8).hexadecimal.prefix(keyLength))
  }
}

extension DeliverySpool {
  /// Returns the waiting files and the state of the series. Throws if an entry cannot be read.
  package func queue() throws(DirectoryRefusal) -> DeliveryQueue {
    let names = try store.names(in: path)
    let files = try DirectoryRefusal.of(path, self.files(names))
    // The announcement of a file is written before the entry, and removed after the file has its
    // final name. So the announcements are read after the entries: a file without an announcement
    // then has its final name.
    let announced = try store.names(in: store.paths.ending)
    return DeliveryQueue(state ?? DeliveryState(series: series), files) { file in
      !file.isListed && announced.contains { $0.ends(with: TakeKey(file.result).nameEnding) }
    }
  }

  private var state: DeliveryState? {
    let state: DeliveryState? = store.read(Self.state, in: path)
    return state?.series.isSameName(as: series) == true ? state : nil
  }

  private func files(_ names: [String]) throws(SystemError) -> [WaitingFile] {
    var files: [WaitingFile] = []
    for name in names.sorted() where Int(name.prefix(Self.digits)) != nil {
      let content = try ifPresent(
        Directory(path).open(name, [.noFollow, .nonBlocking]).readAll(upTo: MachineStore.largest))
      if let content, let file = file(name, content) { files.append(file) }
    }
    return files
  }

  /// Returns the recorded file of an entry. If the entry is damaged, the facts come from the
  /// catalogue.
  private func file(_ name: String, _ content: [UInt8]) -> WaitingFile? {
    let limits = JSONLimits(bytes: MachineStore.largest)
    let json = try? JSONValue(decoding: content.span, limits: limits)
    var file = json.flatMap(WaitingFile.init(json:))
    if file == nil {
      let take = store.catalogue.takes.last {
        name.ends(with: TakeKey($0).nameEnding) && $0.delivery != nil
      }
      file = take.map { WaitingFile($0, FileTrace(inode: 0, size: 0, modified: 0)) }
    }
    file?.entry = name
    return file
  }

  /// Returns the entries of a take's file. There may be several entries, because a recovered file
  /// of unknown segment counts as segment 1.
  private func entries(
    of result: RecordingResult, in names: [String]
  ) throws(SystemError) -> [WaitingFile] {
    let ending = TakeKey(result).nameEnding
    return try files(names.filter { $0.ends(with: ending) })
  }
}

extension DeliverySpool {
  /// Writes the state of the series, so that commands find the spool before the first file waits.
  package func prepare() throws(DirectoryRefusal) { try change { _ in } }

  /// Adds an entry for a file that is about to get its final name. Replaces an earlier entry of the
  /// file.
  ///
  /// The entry survives a power cut.
  func enter(_ result: RecordingResult, _ status: FileStatus) throws(DirectoryRefusal) {
    try withLock { directory throws(SystemError) in
      let (names, file) = (try directory.names(), WaitingFile(result, FileTrace(status)))
      let former = try entries(of: result, in: names).first { $0.trace.inode == file.trace.inode }
      let name = former?.entry ?? Self.next(after: names, for: result)
      try Self.write(file, to: name, in: directory)
    }
  }

  /// Replaces the result of a waiting file, once its final name and its sidecar are known.
  ///
  /// - Parameter isListed: true to deliver the file although its announcement still exists.
  func complete(
    _ result: RecordingResult, isListed: Bool = false
  ) throws(DirectoryRefusal) {
    try withLock { directory throws(SystemError) in
      let entries = try entries(of: result, in: directory.names())
      let former =
        entries.first { $0.result.path.map(Path.init) == result.path.map(Path.init) }
        ?? entries.last
      guard var file = former else { return }
      file.result = result
      file.isListed = file.isListed || isListed
      if file != former { try Self.write(file, to: file.entry, in: directory) }
    }
  }

  /// Marks a file as missing, so that the next file is delivered.
  package func setAside(_ file: WaitingFile) throws(DirectoryRefusal) {
    try withLock { directory throws(SystemError) in
      // A recovery may have given the file another name since the entry was read.
      guard var missing = try files([file.entry]).first, missing == file else { return }
      missing.isMissing = true
      try Self.write(missing, to: file.entry, in: directory)
    }
    try change { $0.succeed() }
  }

  /// Removes the entries of files that no longer wait, and changes the state of the series.
  ///
  /// If only the state cannot be written, for example on a full disk, no error is thrown. The
  /// deliveries must continue, because they may free disk space.
  package func remove(
    _ files: [WaitingFile], _ change: (inout DeliveryState) -> Void
  ) throws(DirectoryRefusal) {
    try withLock { directory throws(SystemError) in
      let names = try directory.names()
      for file in files where names.contains(file.entry) { try directory.remove(file.entry) }
      try directory.synchronize()
    }
    try? self.change(change)
  }

  /// Removes the entry of a file that could not get its final name. A recovery of the file adds an
  /// entry again.
  package func withdraw(_ result: RecordingResult) throws(DirectoryRefusal) {
    try withLock { directory throws(SystemError) in
      let entry = try entries(of: result, in: directory.names()).last
      if let entry { try directory.remove(entry.entry) }
    }
  }

  /// Changes the state of the series.
  package func change(_ change: (inout DeliveryState) -> Void) throws(DirectoryRefusal) {
    try withLock { directory throws(SystemError) in
      let former = self.state
      var state = former ?? DeliveryState(series: series)
      change(&state)
      if state != former { try Self.write(state, to: Self.state, in: directory) }
      if former == nil { try Directory(store.paths.deliveries).synchronize() }
    }
  }

  private func withLock(
    _ body: (borrowing Directory) throws(SystemError) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    try DirectoryRefusal.of(path) { () throws(SystemError) in
      let lock = try FileLock(on: directory, waitingUpTo: .seconds(5))
      try body(directory)
      _ = consume lock
    }
  }

  private static func write(
    _ value: some JSONConvertible, to name: String, in directory: borrowing Directory
  ) throws(SystemError) {
    // All writers hold the lock, so a temporary file belongs to a killed writer.
    try AtomicFile.removeLeftovers(of: name, in: directory)
    try directory.write(value, to: name)
  }

  private static func next(after names: [String], for result: RecordingResult) -> String {
    let last = names.compactMap { Int($0.prefix(digits)) }.max() ?? 0
    return zeroPadded(min(last, largestNumber - 1) + 1, to: digits) + TakeKey(result).nameEnding
  }
}

extension DeliverySpool {
  /// Takes the lock for delivering a file of the series. Returns nil if another process still has
  /// the lock after the limit.
  package func turn(waitingUpTo limit: Duration) throws(DirectoryRefusal) -> FileLock? {
    try lock(Self.turnLock, limit)
  }

  /// The process that delivers a file of the series now, or nil if the kernel lists no process.
  package var deliverer: Int32? {
    guard let directory = try? PrivateDirectory.open(path) else { return nil }
    return FileLock.holder(Self.turnLock, in: directory)
  }

  /// Takes the lock for retrying failed deliveries of the series. Only one process retries at a
  /// time. Returns nil if another process has the lock.
  package func watch() throws(DirectoryRefusal) -> FileLock? {
    try lock("watch.lock", .milliseconds(300))
  }

  private func lock(_ name: String, _ limit: Duration) throws(DirectoryRefusal) -> FileLock? {
    let directory = try PrivateDirectory.make(at: path)
    return try DirectoryRefusal.of(path, FileLock.take(name, in: directory, waitingUpTo: limit))
  }
}

extension MachineStore {
  /// Returns the spool of a series.
  package func spool(of series: String) -> DeliverySpool { DeliverySpool(self, of: series) }

  /// Returns the deliveries of all series of this machine. Throws if they cannot be read.
  package func deliveries() throws(DirectoryRefusal) -> [DeliveryQueue] {
    var queues: [DeliveryQueue] = []
    for name in try names(in: paths.deliveries)
    where name.utf8.count == DeliverySpool.keyLength {
      if let spool = try DeliverySpool(self, in: name) { queues.append(try spool.queue()) }
    }
    return queues
  }

  /// Returns the sorted names in the directory at `path`, or no names if the directory does not
  /// exist.
  fileprivate func names(in path: String) throws(DirectoryRefusal) -> [String] {
    guard let directory = try PrivateDirectory.openIfPresent(path) else { return [] }
    return try DirectoryRefusal.of(path, directory.names().sorted())
  }
}
