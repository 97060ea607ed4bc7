internal import Linux

/// A recording on another machine that shares the home directory, or in another container.
package struct DistantRecording: Hashable, Sendable {
  /// The record that the session keeps in its own state directory.
  package let record: SessionRecord
  /// The host on which the session runs.
  package let host: Host
}

/// The location of a recording that cannot be reached.
package enum RecordingLocation: Hashable, Sendable {
  /// A process of this host.
  case process(Int32)
  /// A program of this host that uses the library for the recording.
  case program(Int32)
  /// The host of this name.
  case host(String)
  /// Another host, whose name is unknown.
  case unknown
}

extension SessionStore {
  /// Returns true for a recording on a host whose processes cannot be seen here. The recording may
  /// be alive, so it is not recovered.
  package func isElsewhere(_ record: SessionRecord) -> Bool { distantHost(of: record) != nil }

  /// Returns true for a recording that may be alive although the lock of its name is free. Some
  /// network shares do not support locks.
  package func mayLive(_ record: SessionRecord) -> Bool {
    isElsewhere(record)
      || store.host.sharesProcesses(with: record.host) && record.isOfRunningProcess
  }

  /// Returns the host of a recording that runs elsewhere, or nil for any other recording.
  package func distantHost(of record: SessionRecord) -> Host? {
    let other = record.host
    let isThere =
      !store.isGone(other) && store.host.relation(to: other) == .elsewhere && !isOver(other)
    return isThere ? other : nil
  }

  /// Returns true if the machine of `boot` was booted again, and has recorded or played since. In
  /// this case, no process of `boot` is alive.
  private func isOver(_ boot: Host) -> Bool {
    store.others.compactMap(\.owner).contains { $0.hasBootedSince(boot) }
  }

  /// The recordings that run elsewhere: on other machines, and in other containers of this machine.
  package var distant: [DistantRecording] {
    let here = records.compactMap { record in
      distantHost(of: record).map { DistantRecording(record: record, host: $0) }
    }
    let there = store.others.flatMap { store in
      store.sessions.records.filter { record in
        !store.isGone(record.host) && store.owner?.hasBootedSince(record.host) != true
      }.map { DistantRecording(record: $0, host: $0.host) }
    }
    return here + there
  }

  /// Returns the location of a recording that cannot be reached.
  package func location(of record: SessionRecord) -> RecordingLocation {
    guard store.host.sharesProcesses(with: record.host) else { return .host(record.host.name) }
    return record.isHosted ? .program(record.process) : .process(record.process)
  }
}

extension SessionRecord {
  /// True if the process that wrote the record still runs, and is not ending.
  fileprivate var isOfRunningProcess: Bool {
    guard let process = try? OtherProcess(process) else { return false }
    return !process.isEnding && (try? process.started()) == started
      && (try? process.owner()) == Environment.effectiveUser
  }

  /// Returns true if the process of the record has ended, or the kernel is ending it. Returns false
  /// for a process that cannot be seen from `host`.
  func isEnding(seenFrom host: Host) -> Bool {
    guard host.sharesProcesses(with: self.host) else { return false }
    do throws(SystemError) {
      let process = try OtherProcess(process)
      return try process.started() == started && process.isEnding
    } catch {
      return error.errno == .noSuchProcess
    }
  }
}
