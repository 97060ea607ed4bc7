package import JSON
package import Linux

/// The audit log of the permission: JSON lines beside the store, each written in one call.
package struct Audit: Sendable {
  private let storage: StoreDirectory
  /// The size in bytes at which the file is rotated before the next event.
  private let largest: Int64

  private static let file = "audit.jsonl"
  /// The number of rotated files that are kept.
  private static let kept = 4

  /// The audit in `storage`; `largest` is the size in bytes at which its file is rotated.
  package init(in storage: StoreDirectory, largest: Int64 = 1 << 20) {
    self.storage = storage
    self.largest = largest
  }
}

extension Audit {
  /// Adds an event; takes the store's lock only if the file is full.
  package func append(_ event: AuditEvent) throws(StoreFailure) {
    let directory = try storage.make()
    let line = event.line
    if try size(in: directory) + Int64(line.utf8.count) >= largest {
      try storage.withLock { directory throws(StoreFailure) in
        try rotate(toFit: line, in: directory)
      }
    }
    try write(line, in: directory)
  }

  /// Adds an event under the store's lock, which the caller holds; returns the failure if it could
  /// not.
  func tell(_ event: AuditEvent?, in directory: borrowing Directory) -> StoreFailure? {
    guard let event else { return nil }
    let line = event.line
    do {
      try rotate(toFit: line, in: directory)
      try write(line, in: directory)
      return nil
    } catch {
      return error
    }
  }

  private func rotate(
    toFit line: String, in directory: borrowing Directory
  ) throws(StoreFailure) {
    // Asked again: while we waited for the lock somebody else may have done it.
    guard try size(in: directory) + Int64(line.utf8.count) >= largest else { return }
    for number in (0..<Self.kept).reversed() {
      do {
        try directory.rename(Self.name(number), to: Self.name(number + 1))
      } catch {
        if error.errno != .noSuchFile { throw .system(error) }
      }
    }
  }

  /// The file's name after `number` rotations: `audit.jsonl`, `audit.jsonl.1` and so on.
  private static func name(_ number: Int) -> String { number == 0 ? file : "\(file).\(number)" }

  private func size(in directory: borrowing Directory) throws(StoreFailure) -> Int64 {
    do {
      return try directory.status(of: Self.file).size
    } catch {
      if error.errno == .noSuchFile { return 0 }
      throw .system(error)
    }
  }

  private func write(_ line: String, in directory: borrowing Directory) throws(StoreFailure) {
    let file = try StoreFailure.wrapping { () throws(SystemError) in
      try directory.open(Self.file, [.readWrite, .create, .append, .noFollow, .nonBlocking])
    }
    let status = try StoreFailure.wrapping { () throws(SystemError) in try file.status() }
    if let flaw = TrustedFile.audit.flaw(of: status, owner: storage.owner.user) {
      throw .unusable(.file(directory.path(of: Self.file), flaw))
    }
    try StoreFailure.wrapping { () throws(SystemError) in
      try file.append(line: line)
    }
  }
}

/// The events of the audit, oldest first.
package struct AuditLog: Hashable, Sendable {
  /// One event as it was written.
  package struct Entry: Hashable, Sendable {
    /// The calendar time of the event, as its writer read it.
    package let time: WallTime
    /// All members of the event's line.
    package let json: JSONObject
  }

  /// The readable events.
  package let entries: [Entry]
  /// The number of lines that are no events.
  package let damaged: Int
}

extension Audit {
  /// Reads the events since `start`, or all; returns none if there is no audit.
  package func log(since start: WallTime? = nil) throws(StoreFailure) -> AuditLog {
    let entries = try lines().map(AuditLog.Entry.init(line:))
    return AuditLog(
      entries: entries.compactMap(\.self).filter { entry in start.map { entry.time >= $0 } ?? true
      },
      damaged: entries.count { $0 == nil })
  }

  private func lines() throws(StoreFailure) -> [ArraySlice<UInt8>] {
    // Reading must not create the directory.
    guard (try? FileStatus(of: storage.path)) != nil else { return [] }
    // Locked, so that no file is rotated between two reads.
    return try storage.withLock { directory throws(StoreFailure) in
      var lines: [ArraySlice<UInt8>] = []
      for number in (0...Self.kept).reversed() {
        lines += try read(Self.name(number), in: directory).split(separator: UInt8(ascii: "\n"))
      }
      return lines
    }
  }

  private func read(
    _ name: String, in directory: borrowing Directory
  ) throws(StoreFailure) -> [UInt8] {
    do {
      return try TrustedFile.audit.read(name, in: directory, owner: storage.owner.user) ?? []
    } catch {
      throw .unusable(.file(directory.path(of: name), error))
    }
  }
}

extension AuditLog.Entry {
  init?(line: ArraySlice<UInt8>) {
    guard let json = try? JSONValue(decoding: Array(line).span).object,
      let time = json["time"]?.string.flatMap({ WallTime(rfc3339: $0) })
    else { return nil }
    self.init(time: time, json: json)
  }
}
