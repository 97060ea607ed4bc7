internal import Audio
internal import Control
internal import Linux
internal import Permission

/// The recordings that run at one moment, to be waited for when their permission is taken back.
struct LiveSessions {
  private let shelf: SessionShelf?
  private let records: [SessionRecord]
  /// Those on other machines that share the home, which end once they read of it.
  private var distant: [DistantRecording] = []

  /// How long they may take to complete their files.
  private static let patience = Duration.seconds(5)

  static func now() -> LiveSessions {
    guard let places = try? SessionPlaces.current() else {
      return LiveSessions(shelf: nil, records: [])
    }
    let shelf = SessionShelf(places)
    let distant = shelf.distant
    let live = shelf.records.filter { record in
      SessionName(record.name).map(shelf.isLive) ?? false
        && !distant.contains { $0.record.identifier == record.identifier }
    }
    return LiveSessions(shelf: shelf, records: live, distant: distant)
  }

  private init(
    shelf: SessionShelf?, records: [SessionRecord], distant: [DistantRecording] = []
  ) {
    self.shelf = shelf
    self.records = records
    self.distant = distant
  }

  /// Waits until those of a client have ended by themselves, as each does whose permission is gone.
  func ended(of client: Client, killing: Bool) -> StoppedSessions {
    let deadline = KernelClock.monotonic.now + Self.patience
    var sessions = StoppedSessions()
    for record in records where client == .everyone || record.client == client.name {
      if goesOn(record, before: deadline) {
        sessions.continuing.append(described(record, nil))
      } else if hasEnded(record, before: deadline) {
        sessions.confirmed.append(outcome(of: record))
      } else if killing, kill(record) {
        sessions.killed.append(described(record, record.part))
      } else {
        sessions.unconfirmed.append(described(record, nil))
      }
    }
    for recording in distant where client == .everyone || recording.record.client == client.name {
      let words = described(recording.record, nil) + " on \(quoted(recording.host.name))"
      if hasEnded(recording, before: deadline) {
        sessions.confirmed.append(words)
      } else {
        sessions.unconfirmed.append(words)
      }
    }
    return sessions
  }

  /// Waits for the record of a recording on another machine to go; true where it did. Nobody there can be asked.
  private func hasEnded(_ recording: DistantRecording, before deadline: Duration) -> Bool {
    let identifier = recording.record.identifier
    while shelf?.distant.contains(where: { $0.record.identifier == identifier }) == true {
      guard KernelClock.monotonic.now < deadline else { return false }
      KernelClock.sleep(.milliseconds(50))
    }
    return true
  }

  /// Whether it may listen all the same, as where a policy allows its device, which it knows best.
  private func goesOn(_ record: SessionRecord, before deadline: Duration) -> Bool {
    guard let socket = record.socket else { return false }
    let limit = max(.milliseconds(200), deadline - KernelClock.monotonic.now)
    do throws(ControlError) {
      var client = try ControlClient(connectingTo: socket, waitingUpTo: limit)
      _ = try client.ask("permission", waitingUpTo: limit)
      return true
    } catch {
      return false
    }
  }

  private func hasEnded(_ record: SessionRecord, before deadline: Duration) -> Bool {
    guard let shelf, let name = SessionName(record.name) else { return true }
    let left = max(.zero, deadline - KernelClock.monotonic.now)
    // The lock of its name goes with the process, so nothing is left to do for it then.
    return (try? shelf.lock(name, waitingUpTo: left)) ?? nil != nil
      || shelf.record(of: name)?.identifier != record.identifier
  }

  /// Kills it, if the process of that number is still the one that recorded.
  private func kill(_ record: SessionRecord) -> Bool {
    do throws(SystemError) {
      let process = try OtherProcess(record.process)
      guard try process.owner() == Environment.effectiveUser,
        try process.started() == record.started
      else { return false }
      try process.send(.kill)
      return try process.descriptor.wait(upTo: .seconds(1))
    } catch {
      return error.errno == .noSuchProcess
    }
  }

  private func outcome(of record: SessionRecord) -> String {
    let result = shelf?.result(identifiedBy: record.identifier)
    return described(record, result?.path)
  }

  private func described(_ record: SessionRecord, _ path: String?) -> String {
    quoted(record.name) + (path.map { " in \(quoted($0))" } ?? "")
  }
}
