internal import Control
internal import JSON
package import Linux

/// A process that captures: a recording with a name, or a meter, which has no name and saves
/// nothing.
package struct Listener: Hashable, Sendable {
  /// The kind of a listener, which decides how its end is detected.
  package enum Kind: Sendable {
    case recording, meter
  }

  /// The kind of this listener.
  package let kind: Kind
  /// The record of the session or of the meter.
  package let record: SessionRecord
  /// The other machine on which it captures, with its own process numbers, or nil for this host.
  package let host: Host?

  /// Creates a listener, on this host by default.
  package init(_ kind: Kind, _ record: SessionRecord, on host: Host? = nil) {
    self.kind = kind
    self.record = record
    self.host = host
  }
}

/// All capturing processes. Revoking the permission has to reach each of them.
///
/// Meters have no names, so they have a separate directory.
extension SessionStore {
  /// The live recordings and meters of this host, and the recordings of other machines that share
  /// the home.
  package var listeners: [Listener] {
    let distant = distant
    let here = records.filter { record in
      isLive(record)
        && !distant.contains { $0.record.identifier == record.identifier }
    }
    return here.map { Listener(.recording, $0) } + meters.map { Listener(.meter, $0) }
      + distant.map { Listener(.recording, $0.record, on: $0.host) }
  }

  /// Marks a meter as capturing, until the mark is released or the process ends.
  package func mark(_ meter: SessionRecord) throws(DirectoryRefusal) -> MeterMark {
    let directory = try PrivateDirectory.make(at: paths.meters)
    do {
      return try MeterMark(meter, in: directory)
    } catch {
      throw DirectoryRefusal(paths.meters, .system(error))
    }
  }

  /// Waits until a listener has ended. Returns false if `limit` has passed.
  package func hasEnded(_ listener: Listener, waitingUpTo limit: Duration) -> Bool {
    let record = listener.record
    guard listener.host == nil else { return hasEnded(distant: record, limit) }
    guard listener.kind == .recording else { return hasEnded(meter: record, limit) }
    guard let name = SessionName(record.name) else { return true }
    // The lock of the name is released with the process, so there is nothing else to do.
    return (try? lock(name, waitingUpTo: limit)) ?? nil != nil
      || self.record(of: name)?.identifier != record.identifier
  }

  /// Waits until the record of a recording on another machine is removed. No process there can be
  /// asked.
  private func hasEnded(distant record: SessionRecord, _ limit: Duration) -> Bool {
    let deadline = KernelClock.monotonic.now + limit
    while distant.contains(where: { $0.record.identifier == record.identifier }) {
      guard KernelClock.monotonic.now < deadline else { return false }
      KernelClock.sleep(.milliseconds(50))
    }
    return true
  }

  private func hasEnded(meter: SessionRecord, _ limit: Duration) -> Bool {
    let deadline = KernelClock.monotonic.now + limit
    while let directory = try? PrivateDirectory.open(paths.meters),
      (try? FileLock.isHeld(MeterMark.name(of: meter), in: directory)) == true
    {
      guard KernelClock.monotonic.now < deadline else { return false }
      KernelClock.sleep(.milliseconds(5))
    }
    return true
  }

  private var meters: [SessionRecord] {
    guard let directory = try? PrivateDirectory.open(paths.meters),
      let names = try? directory.names()
    else { return [] }
    return names.filter { !$0.begins(with: ".") }.sorted().compactMap { name in
      let meter: SessionRecord? = read(name, in: paths.meters)
      if (try? FileLock.isHeld(name, in: directory)) == true { return meter }
      // The mark of a killed meter. No other meter uses this name.
      try? directory.remove(name)
      if let meter, MeterMark.name(of: meter) == name { removeSocket(ofMeter: meter.identifier) }
      return nil
    }
  }

  /// Removes the socket of a meter that has ended.
  package func removeSocket(ofMeter identifier: String) {
    remove(SessionPaths.socket(ofMeter: identifier), in: paths.runtime)
  }
}

/// A locked file that marks a capturing meter. It is removed when its owner is released.
package struct MeterMark: ~Copyable, Sendable {
  private let directory: Directory
  private let name: String
  private let lock: FileLock

  /// Locks the file before it gets its name, because an unlocked file belongs to a dead meter.
  fileprivate init(
    _ meter: SessionRecord, in directory: consuming Directory
  ) throws(SystemError) {
    let name = Self.name(of: meter)
    let lock = try FileLock("." + name, in: directory, waitingUpTo: .zero)
    let line = Array((meter.json.encoded() + "\n").utf8)
    do throws(SystemError) {
      try lock.descriptor.writeAll(line.span)
      try directory.renameWithoutReplacing("." + name, to: name)
    } catch {
      try? directory.remove("." + name)
      throw error
    }
    self.directory = directory
    self.name = name
    self.lock = lock
  }

  deinit { try? directory.remove(name) }

  static func name(of meter: SessionRecord) -> String { meter.identifier + ".json" }
}
