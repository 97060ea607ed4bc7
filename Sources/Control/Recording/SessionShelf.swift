internal import JSON
package import Linux

/// The records and the results of sessions, as files that are whole or not there.
package struct SessionShelf: Sendable {
  package let places: SessionPlaces
  /// The host that looks.
  package let host: Host
  /// The name of a host that is gone for good, whose recordings are dead unless they hold their locks.
  package var gone: String?
  /// The machine whose shelf this is, where it is another one.
  package internal(set) var owner: Host?

  package init(_ places: SessionPlaces, host: Host) {
    self.places = places
    self.host = host
  }

  /// The same, looked at from this host.
  package init(_ places: SessionPlaces) { self.init(places, host: .current) }

  static let largest = 1 << 20
}

extension SessionShelf {
  /// Takes the lock of a name, waiting shortly for one who only looked; nil while a session holds it.
  package func lock(
    _ name: SessionName, waitingUpTo limit: Duration = .milliseconds(300)
  ) throws(DirectoryRefusal) -> FileLock? {
    let directory = try PrivateDirectory.make(at: places.sessions)
    do {
      return try FileLock(SessionPlaces.lock(of: name), in: directory, waitingUpTo: limit)
    } catch {
      if error.errno == .timedOut { return nil }
      throw DirectoryRefusal(places.sessions, .system(error))
    }
  }

  /// True while a session of that name lives, or may live on a host of which nothing is known here.
  package func isLive(_ name: SessionName) -> Bool {
    isLocked(name) || record(of: name).map(mayLive) ?? false
  }

  private func isLocked(_ name: SessionName) -> Bool {
    guard let directory = try? PrivateDirectory.open(places.sessions),
      (try? directory.status(of: SessionPlaces.lock(of: name))) != nil
    else { return false }
    let lock = try? FileLock.take(SessionPlaces.lock(of: name), in: directory)
    return lock == nil
  }

  /// Says what the session of its name does; what a dead one left there goes to the interrupted ones.
  package func publish(_ record: SessionRecord, as name: SessionName) throws(DirectoryRefusal) {
    setAside(name)
    removeLeftovers(of: name)
    try noteHost(of: record, as: name)
    try write(record.json, to: SessionPlaces.record(of: name), in: places.sessions)
  }

  /// The session ended as it should.
  package func withdraw(_ name: SessionName) {
    remove(SessionPlaces.record(of: name), in: places.sessions)
    remove(SessionPlaces.host(of: name), in: places.sessions)
  }

  /// What the session of a name does, or did when it died.
  package func record(of name: SessionName) -> SessionRecord? {
    read(SessionPlaces.record(of: name), in: places.sessions)
  }

  /// Says where a session listens by now.
  package func move(_ name: SessionName, to socket: String) throws(DirectoryRefusal) {
    try update(name) { $0.socket = socket }
  }

  /// Changes what the session of a name says of itself; several of its threads may, one after the other.
  package func update(
    _ name: SessionName, _ change: (inout SessionRecord) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: places.sessions)
    let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    try updateAlone(name, change)
    _ = consume turn
  }

  private func updateAlone(
    _ name: SessionName, _ change: (inout SessionRecord) -> Void
  ) throws(DirectoryRefusal) {
    guard let former = record(of: name) else { return }
    var record = former
    change(&record)
    guard record != former else { return }
    try write(record.json, to: SessionPlaces.record(of: name), in: places.sessions)
  }

  /// The sessions that are known, dead ones too.
  package var records: [SessionRecord] { all(in: places.sessions) }

  /// The sessions that died before others of their names began; what is left of their takes is still there.
  package var setAside: [SessionRecord] {
    all(in: places.interrupted).filter(\.isLeft)
  }

  private func setAside(_ name: SessionName) {
    guard let dead: SessionRecord = read(SessionPlaces.record(of: name), in: places.sessions),
      dead.isLeft
    else { return }
    keepHost(of: dead)
    try? write(dead.json, to: dead.identifier + ".json", in: places.interrupted)
  }

  /// Removes the leftovers of writers of records that were killed.
  package func removeAbandoned() {
    for path in [places.sessions, places.results, places.interrupted, places.meters] {
      if let directory = try? PrivateDirectory.open(path) {
        AtomicFile.removeAbandoned(in: directory)
      }
    }
  }

  /// What writers that were killed have left; nobody else writes while the lock of the name is held.
  private func removeLeftovers(of name: SessionName) {
    for path in [places.sessions, places.results] {
      guard let directory = try? PrivateDirectory.open(path) else { continue }
      for file in [SessionPlaces.record(of: name), SessionPlaces.host(of: name)] {
        try? AtomicFile.removeLeftovers(of: file, in: directory)
      }
    }
  }
}

extension SessionShelf {
  /// Leaves a result for whoever asks first.
  package func leave(_ result: RecordingResult, of name: SessionName) throws(DirectoryRefusal) {
    try write(result.json, to: SessionPlaces.record(of: name), in: places.results)
  }

  /// The result of a session that has ended, which stays.
  package func result(of name: SessionName) -> RecordingResult? {
    read(SessionPlaces.record(of: name), in: places.results)
  }

  /// Removes a result that was told; a newer one of the same name stays.
  package func consume(_ result: RecordingResult, of name: SessionName) {
    guard self.result(of: name)?.identifier == result.identifier else { return }
    remove(SessionPlaces.record(of: name), in: places.results)
  }

  /// Adds what became of a recording to the catalogue, in one write.
  package func catalogue(_ result: RecordingResult) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: places.state)
    do {
      let file = try directory.open(
        SessionPlaces.catalogue, [.readWrite, .create, .append, .noFollow])
      let start = try Self.isCut(file) ? "\n" : ""
      let line = Array((start + result.json.encoded() + "\n").utf8)
      try file.writeAll(line.span)
    } catch {
      throw DirectoryRefusal(places.state, .system(error))
    }
    withdrawAnnouncement(of: result)
  }

  /// Whether a write of before was cut off within its line.
  private static func isCut(_ file: borrowing Descriptor) throws(SystemError) -> Bool {
    let size = try file.status().size
    var last = [UInt8(ascii: "\n")]
    if size > 0 { _ = try file.read(into: &last, at: size - 1) }
    return last != [UInt8(ascii: "\n")]
  }

  /// What became of a recording, also after somebody was told.
  package func result(identifiedBy identifier: String) -> RecordingResult? {
    takes.last { $0.identifier == identifier }
  }
}

extension SessionShelf {
  private func all<Value: JSONConvertible>(in path: String) -> [Value] {
    guard let directory = try? PrivateDirectory.open(path), let names = try? directory.names()
    else { return [] }
    return names.filter { $0.ends(with: ".json") && !$0.begins(with: ".") }.sorted()
      .compactMap { read($0, in: path) }
  }

  func read<Value: JSONConvertible>(
    _ name: String, in path: String, upTo most: Int = largest
  ) -> Value? {
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(name, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: most),
      let json = try? JSONValue(
        decoding: String(decoding: bytes, as: UTF8.self), limits: JSONLimits(bytes: most))
    else { return nil }
    return Value(json: json)
  }

  private func write(
    _ json: JSONValue, to name: String, in path: String
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: path)
    do {
      let bytes = Array((json.encoded() + "\n").utf8)
      try AtomicFile.write(bytes.span, to: name, in: directory)
    } catch {
      throw DirectoryRefusal(path, .system(error))
    }
  }

  func remove(_ name: String, in path: String) {
    guard let directory = try? PrivateDirectory.open(path) else { return }
    try? directory.remove(name)
  }
}
