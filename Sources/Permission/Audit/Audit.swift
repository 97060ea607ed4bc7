package import JSON
package import Linux

/// One event in the history of the permission.
package struct AuditEvent: Hashable, Sendable {
  /// The kinds of events; the raw values are those of the file.
  package enum Kind: String, CaseIterable, Sendable {
    case prompt, grant, revoke, reset, refuse, start, stop
    /// A program has begun to read a running recording.
    case tap
  }

  /// The kind of the event.
  package let kind: Kind
  /// The time of the event, on both clocks.
  package let clock: ClockReading
  /// The process that caused the event.
  package let process: ProcessFacts
  /// The service, and the client that the process acted for.
  package let subject: Subject
  /// The name of the device, as given.
  package var device: String?
  /// The file to record to.
  package var output: String?
  /// The status before the event.
  package var from: AuthorizationStatus?
  /// The status after the event, or nil if the event does not change the status or the new status
  /// is not known yet.
  package var to: AuthorizationStatus?
  /// The name of the decision's source, such as `policy` or `environment`.
  package var source: String?
  /// The reason for the decision.
  package var reason: Reason?
  /// The length of the recording.
  package var duration: Duration?
  /// The number of frames recorded.
  package var frames: Int64?
  /// The exit code of the process.
  package var exit: Int32?
  /// The number of events that the line represents, or nil for one event.
  package var count: Int?
}

extension AuditEvent {
  /// The line of the file without its line end. Names from outside are truncated, so that the line
  /// does not become long. The client's name is not truncated.
  package var line: String {
    var object: JSONObject = ["time": .string(clock.wall.rfc3339)]
    object.set("boottime", clock.boottime.wholeNanoseconds)
    object.set("event", kind.rawValue)
    object.set("uid", process.user)
    object.set("pid", process.id)
    object.set("ppid", process.parent)
    object.set("exe", process.executable.map(Self.cut))
    object.set("tty", process.terminal.map(Self.cut))
    object.set("service", subject.service.rawValue)
    object.set("client", subject.client.name)
    object.set("device", device.map(Self.cut))
    object.set("output", output.map(Self.cut))
    object.set("from", from?.word)
    object.set("to", to?.word)
    object.set("source", source.map(Self.cut))
    object.set("reason", reason?.rawValue)
    object.set("duration", duration)
    object.set("frames", frames)
    object.set("exit", exit)
    object.set("count", count)
    return JSONValue.object(object).encoded()
  }

  private static func cut(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: text.unicodeScalars.prefix(1_024))
    return String(kept)
  }
}

/// The identity of a process, for the audit.
package struct ProcessFacts: Hashable, Sendable {
  /// The effective user of the process.
  package let user: UInt32
  /// The process ID.
  package let id: Int32
  /// The process ID of the parent, or nil if it is unknown.
  package let parent: Int32?
  /// The path of the program that the process runs, or nil if the path is unknown.
  package let executable: String?
  /// The controlling terminal, such as `pts/1`, or nil if there is none.
  package let terminal: String?
}

extension ProcessFacts {
  /// Reads the facts of this process from /proc. Facts that cannot be read are nil.
  package static func current() -> ProcessFacts {
    ProcessFacts(
      "/proc/self", user: Environment.effectiveUser, id: Environment.processIdentifier,
      executable: try? ExecutablePath.current())
  }

  /// Reads the facts of another process from /proc. Facts that cannot be read are nil. The user is
  /// the owner of the process's directory, or the user of this process if the directory cannot be
  /// read.
  ///
  /// - Parameter executable: the path of the process's program, or nil to read it.
  package init(of process: Int32, executable: String? = nil) {
    let directory = "/proc/\(process)"
    self.init(
      directory, user: (try? FileStatus(of: directory))?.owner ?? Environment.effectiveUser,
      id: process, executable: executable ?? (try? SymbolicLink.target(of: directory + "/exe")))
  }

  private init(_ directory: String, user: UInt32, id: Int32, executable: String?) {
    let stat = try? Descriptor(opening: directory + "/stat").readAll(upTo: 4_096)
    let fields = stat.map(Self.fields) ?? []
    self.init(
      user: user, id: id, parent: fields.count > 1 ? Int32(fields[1]) : nil,
      executable: executable,
      terminal: fields.count > 4 ? Int(fields[4]).flatMap(Self.terminal) : nil)
  }

  /// Returns the fields after the name of the process: state, parent, group, session, terminal. The
  /// name itself may contain spaces and parentheses.
  private static func fields(_ stat: [UInt8]) -> [Substring] {
    let text = String(decoding: stat, as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ")
  }

  /// Returns the name of a controlling terminal. The device number is encoded as in proc(5).
  static func terminal(_ device: Int) -> String? {
    let (major, minor) = ((device >> 8) & 0xFFF, (device & 0xFF) | ((device >> 12) & 0xFFF00))
    switch major {
    case 0: return nil
    case 136...143: return "pts/\((major - 136) * 256 + minor)"
    case 4: return "tty\(minor)"
    default: return "\(major):\(minor)"
    }
  }
}

/// The audit log of the permission: a file in the store's directory, with lines of JSON. Each line
/// is written with one system call.
package struct Audit: Sendable {
  let storage: StoreDirectory
  /// The size in bytes at which the file is rotated before the next event.
  var largest: Int64 = 1 << 20

  private static let file = "audit.jsonl"
  /// The number of rotated files that are kept.
  private static let kept = 4
}

extension Audit {
  /// Adds an event. Takes the store's lock only if the file is full. If another process holds the
  /// lock for too long, the file grows further, and a later call rotates the file.
  package func append(_ event: AuditEvent) throws(StoreFailure) {
    try StoreFailure.translating {
      let directory = try storage.make()
      let line = event.line
      if try size(in: directory) + Int64(line.utf8.count) >= largest {
        do throws(StoreFailure) {
          try storage.withLock { try rotate(toFit: line, in: $0) }
        } catch {
          guard case .locked = error else { throw error }
        }
      }
      try write(line, in: directory)
    }
  }

  /// Adds events under the store's lock, which the caller holds. Returns the failure, or nil if
  /// there was none.
  func record(_ events: [AuditEvent], in directory: borrowing Directory) -> StoreFailure? {
    do {
      for line in events.map(\.line) {
        try rotate(toFit: line, in: directory)
        try write(line, in: directory)
      }
      return nil
    } catch {
      return StoreFailure(error)
    }
  }

  private func rotate(toFit line: String, in directory: borrowing Directory) throws(SystemError) {
    // Checked again, because another process may have rotated the file while this process waited
    // for the lock.
    guard try size(in: directory) + Int64(line.utf8.count) >= largest else { return }
    for number in (0..<Self.kept).reversed() {
      _ = try ifPresent(directory.rename(Self.name(number), to: Self.name(number + 1)))
    }
  }

  /// The file's name after `number` rotations: `audit.jsonl`, `audit.jsonl.1` and so on.
  private static func name(_ number: Int) -> String { number == 0 ? file : "\(file).\(number)" }

  private func size(in directory: borrowing Directory) throws(SystemError) -> Int64 {
    try ifPresent(directory.status(of: Self.file).size) ?? 0
  }

  private func write(_ line: String, in directory: borrowing Directory) throws {
    let file = try directory.open(
      Self.file, [.readWrite, .create, .append, .noFollow, .nonBlocking])
    if let flaw = TrustedFile.audit.flaw(of: try file.status(), owner: storage.owner.user) {
      throw TrustFault.file(directory.path(of: Self.file), flaw)
    }
    try file.append(line: line)
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
  /// The number of lines that are not events.
  package let damaged: Int
}

extension Audit {
  /// Reads the events. A non-nil `start` excludes earlier events, and a non-nil `client` excludes
  /// the events of other clients. Returns no events if there is no audit.
  package func log(
    since start: WallTime? = nil, of client: Client? = nil
  ) throws(StoreFailure) -> AuditLog {
    let entries = try lines().map(AuditLog.Entry.init(line:))
    let wanted = entries.compactMap(\.self).filter { entry in
      (start.map { entry.time >= $0 } ?? true) && (client.map(entry.isOf) ?? true)
    }
    return AuditLog(entries: wanted, damaged: entries.count { $0 == nil })
  }

  private func lines() throws(StoreFailure) -> [ArraySlice<UInt8>] {
    var files: [[UInt8]] = []
    try readFiles { files.append($0) }
    return files.reversed().flatMap { $0.split(separator: UInt8(ascii: "\n")) }
  }

  /// Reads the files, newest first.
  func readFiles(_ body: ([UInt8]) -> Void) throws(StoreFailure) {
    // Reading must not create the directory.
    guard (try? FileStatus(of: storage.path)) != nil else { return }
    // Locked, so that no file is rotated between two reads.
    try storage.withLock(forReading: true) { directory in
      for number in 0...Self.kept {
        let file = try TrustedFile.audit.read(
          Self.name(number), in: directory, owner: storage.owner.user)
        file.map(body)
      }
    }
  }
}

extension AuditLog.Entry {
  /// The limits for a line. A line can be long, because the path in a client name is not truncated,
  /// and each byte of the path may be escaped as six bytes.
  private static let limits = JSONLimits(bytes: 1 << 18)

  fileprivate func isOf(_ client: Client) -> Bool {
    json["client"]?.string?.isSameName(as: client.name) == true
  }

  init?(line: ArraySlice<UInt8>) {
    guard let json = try? JSONValue(decoding: Array(line).span, limits: Self.limits).object,
      let time = json["time"]?.string.flatMap({ WallTime(rfc3339: $0) })
    else { return nil }
    self.init(time: time, json: json)
  }
}
