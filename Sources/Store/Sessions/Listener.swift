internal import Control
internal import JSON
package import Linux

/// A process that captures sound, or reads sound that another process captures. The process is a
/// recording, a reader of a recording, or a meter, which saves nothing.
package struct Listener: Hashable, Sendable {
  /// The kind of a listener, which decides how its end is detected.
  package enum Kind: Sendable {
    case recording, meter, reader
  }

  /// The kind of this listener.
  package let kind: Kind
  /// The record of the session, of the meter or of the reader.
  package let record: SessionRecord
  /// The other host on which the process runs, or nil for this host. The process numbers of another
  /// host are not valid here.
  package let host: Host?

  /// Creates a listener, on this host by default.
  package init(_ kind: Kind, _ record: SessionRecord, on host: Host? = nil) {
    self.kind = kind
    self.record = record
    self.host = host
  }
}

extension SessionStore {
  /// All listening processes: the live recordings, meters and readers of this host, and the
  /// recordings of other hosts that share the home directory. If the permission is revoked, all
  /// these processes must stop.
  package var listeners: [Listener] {
    let distant = distant
    let here = records.filter { record in
      isLive(record)
        && !distant.contains { $0.record.identifier == record.identifier }
    }
    return here.map { Listener(.recording, $0) }
      + store.meters.records.map { Listener($0.isReader ? .reader : .meter, $0) }
      + distant.map { Listener(.recording, $0.record, on: $0.host) }
  }

  /// Waits until a listener has ended. Returns false if `limit` has passed.
  package func hasEnded(_ listener: Listener, waitingUpTo limit: Duration) -> Bool {
    let record = listener.record
    if listener.host == nil, listener.kind == .recording {
      guard let name = SessionName(record.name) else { return true }
      // Wait for the lock of the name, which is released when the process ends.
      return (try? lock(name, waitingUpTo: limit)) ?? nil != nil
        || self.record(of: name)?.identifier != record.identifier
    }
    let deadline = KernelClock.monotonic.now + limit
    // The end of a process on another machine can be seen only in the records, so the records are
    // read repeatedly.
    while listener.host == nil
      ? store.meters.isCapturing(record)
      : distant.contains(where: { $0.record.identifier == record.identifier })
    {
      guard KernelClock.monotonic.now < deadline else { return false }
      KernelClock.sleep(.milliseconds(listener.host == nil ? 5 : 50))
    }
    return true
  }
}

/// The capturing meters, and the readers of recordings. They have no names, so their records are in
/// a separate directory.
package struct Meters: Sendable {
  fileprivate let store: MachineStore
}

extension MachineStore {
  /// The capturing meters of this machine, and the readers of its recordings.
  package var meters: Meters { Meters(store: self) }
}

extension Meters {
  /// Marks a meter or a reader as listening, until the mark is released or this process ends.
  package func mark(_ meter: SessionRecord) throws(DirectoryRefusal) -> MeterMark {
    try MeterMark(meter, in: store.paths.meters)
  }

  fileprivate func isCapturing(_ meter: SessionRecord) -> Bool {
    guard let directory = try? PrivateDirectory.open(store.paths.meters) else { return false }
    return (try? FileLock.isHeld(MeterMark.name(of: meter), in: directory)) == true
  }

  fileprivate var records: [SessionRecord] {
    guard let directory = try? PrivateDirectory.open(store.paths.meters),
      let names = try? directory.names()
    else { return [] }
    return names.filter { !$0.begins(with: ".") }.sorted().compactMap { name in
      let meter: SessionRecord? = directory.value(of: name, upTo: MachineStore.largest)
      if (try? FileLock.isHeld(name, in: directory)) == true { return meter }
      // The file belongs to a killed meter. No other meter uses the same file name.
      try? directory.remove(name)
      if let meter, MeterMark.name(of: meter) == name { removeSocket(of: meter.identifier) }
      return nil
    }
  }

  /// Removes the socket of a meter that has ended.
  package func removeSocket(of identifier: String) {
    store.remove(SessionPaths.socket(ofMeter: identifier), in: store.paths.runtime)
  }
}

/// A locked file that marks a capturing meter or a reader. The file is removed when this value is
/// released.
package struct MeterMark: ~Copyable, Sendable {
  private let directory: Directory
  private let name: String
  private let lock: FileLock

  fileprivate init(_ meter: SessionRecord, in path: String) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    let lock = try DirectoryRefusal.of(path, Self.lock(meter, in: directory))
    self.directory = directory
    self.name = Self.name(of: meter)
    self.lock = lock
  }

  /// Locks the file before the file gets its name. Other processes treat an unlocked file with this
  /// name as the file of a dead meter, and remove it.
  private static func lock(
    _ meter: SessionRecord, in directory: borrowing Directory
  ) throws(SystemError) -> FileLock {
    let name = name(of: meter)
    let lock = try FileLock("." + name, in: directory, waitingUpTo: .zero)
    do throws(SystemError) {
      try lock.descriptor.writeAll(Directory.line(meter).span)
      try directory.renameWithoutReplacing("." + name, to: name)
    } catch {
      try? directory.remove("." + name)
      throw error
    }
    return lock
  }

  deinit { try? directory.remove(name) }

  static func name(of meter: SessionRecord) -> String { meter.identifier + ".json" }
}
