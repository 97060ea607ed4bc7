package import Control
internal import Linux

/// A recording on another machine that shares the home, or in another container.
package struct DistantRecording: Hashable, Sendable {
  /// The record that the session keeps in its own state directory.
  package let record: SessionRecord
  /// The host on which the session runs.
  package let host: Host
}

/// The place of a recording that cannot be reached.
package enum Whereabouts: Hashable, Sendable {
  /// A process of this host.
  case process(Int32)
  /// A program of this host that hosts the recording.
  case program(Int32)
  /// The host of that name.
  case host(String)
  /// Another host, whose name is unknown.
  case unknown
}

extension SessionStore {
  /// The host of a recording; nil where a former release left no note of it.
  package func host(of record: SessionRecord) -> Host? {
    if let noted = notedHost(of: record) { return noted }
    return others.lazy.filter { store in
      (store.records + store.setAside).contains { $0.identifier == record.identifier }
    }.compactMap { $0.notedHost(of: record) ?? $0.owner }.first
  }

  /// The host by the note beside the record, unless that is about another recording of its name.
  private func notedHost(of record: SessionRecord) -> Host? {
    let live = SessionName(record.name).flatMap {
      HostNote.read(SessionPaths.host(of: $0), in: paths.sessions)
    }
    if let live, live.identifier == record.identifier { return live.host }
    let dead = SessionPaths.host(of: record).flatMap {
      HostNote.read($0, in: paths.interrupted)
    }
    return dead?.identifier == record.identifier ? dead?.host : nil
  }

  /// True for a recording on a host whose processes cannot be seen here, so that it is left alone.
  package func isElsewhere(_ record: SessionRecord) -> Bool { distantHost(of: record) != nil }

  /// True for a recording that lives, or may, even if the lock of its name is free: some shares
  /// know no locks.
  package func mayLive(_ record: SessionRecord) -> Bool {
    guard let other = host(of: record) else { return false }
    return isElsewhere(record) || host.sharesProcesses(with: other) && isProcess(of: record)
  }

  /// The host of a recording that lives elsewhere.
  package func distantHost(of record: SessionRecord) -> Host? {
    guard let other = host(of: record), other.name != gone,
      host.relation(to: other) == .elsewhere, !isOver(other)
    else { return nil }
    return other
  }

  /// True for a boot of another machine that has recorded or played in a later boot.
  private func isOver(_ boot: Host) -> Bool {
    others.compactMap(\.owner).contains { $0.hasBootedSince(boot) }
  }

  /// The recordings that live elsewhere: on other machines, and in other containers of this one.
  package var distant: [DistantRecording] {
    let here = records.compactMap { record in
      distantHost(of: record).map { DistantRecording(record: record, host: $0) }
    }
    let there = others.flatMap { store in
      store.records.compactMap { record -> DistantRecording? in
        guard let host = store.notedHost(of: record) ?? store.owner, host.name != gone,
          store.owner?.hasBootedSince(host) != true
        else { return nil }
        return DistantRecording(record: record, host: host)
      }
    }
    return here + there
  }

  /// The stores of the other machines that share the home.
  package var others: [SessionStore] {
    MachineDirectories(home: paths.home, host: host).others.map { other in
      var store = SessionStore(
        SessionPaths(state: other.path, runtime: paths.runtime, home: paths.home), host: host)
      store.owner = other.host
      store.gone = gone
      return store
    }
  }

  /// The saved takes of this machine and of those that share the home, with the host of each of the others; oldest
  /// first on every machine.
  package var allTakes: [(take: RecordingResult, host: Host?)] {
    let here = takes.map { (take: $0, host: Host?.none) }
    let there = others.flatMap { store in store.takes.map { (take: $0, host: store.owner) } }
    return there.isEmpty ? here : (here + there).sorted { $0.take.began < $1.take.began }
  }

  /// The place of a recording that cannot be reached.
  package func whereabouts(of record: SessionRecord) -> Whereabouts {
    guard let other = host(of: record) else {
      return isProcess(of: record) ? process(of: record) : .unknown
    }
    return host.sharesProcesses(with: other) ? process(of: record) : .host(other.name)
  }

  private func process(of record: SessionRecord) -> Whereabouts {
    isHosted(record) ? .program(record.process) : .process(record.process)
  }

  /// True where the process that a record names is the one that wrote it.
  private func isProcess(of record: SessionRecord) -> Bool {
    guard let process = try? OtherProcess(record.process) else { return false }
    // A process that has ended keeps its number until its parent has waited for it.
    return (try? process.descriptor.wait(upTo: .zero)) == false
      && (try? process.started()) == record.started
      && (try? process.owner()) == Environment.effectiveUser
  }
}

extension SessionStore {
  /// Writes the host of a session, before its record claims that it lives.
  func noteHost(of record: SessionRecord, as name: SessionName) throws(DirectoryRefusal) {
    let file = SessionPaths.host(of: name)
    let former = HostNote.read(file, in: paths.sessions)
    guard former?.identifier != record.identifier || former?.host != host else { return }
    try HostNote(host: host, identifier: record.identifier).leave(as: file, in: paths.sessions)
  }

  /// Keeps the note of a record's host while the record is set aside.
  func keepHost(of record: SessionRecord) {
    guard let host = notedHost(of: record), let name = SessionPaths.host(of: record) else {
      return
    }
    let note = HostNote(host: host, identifier: record.identifier)
    try? note.leave(as: name, in: paths.interrupted)
  }
}
