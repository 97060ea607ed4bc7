package import JSON
package import Linux

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
      entries: entries.compactMap(\.self).filter { start.map($0.isSince) ?? true },
      damaged: entries.count { $0 == nil })
  }

  private func lines() throws(StoreFailure) -> [ArraySlice<UInt8>] {
    // Reading must not create the directory.
    guard (try? FileStatus(of: store.path)) != nil else { return [] }
    // Locked, so that no file is rotated between two reads.
    return try store.withLock { directory throws(StoreFailure) in
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
      return try CheckedFile.audit.read(name, in: directory, owner: store.binding.user) ?? []
    } catch {
      throw .unusable(.file(directory.path(of: name), error))
    }
  }
}

extension AuditLog.Entry {
  fileprivate func isSince(_ start: WallTime) -> Bool { time >= start }

  init?(line: ArraySlice<UInt8>) {
    guard let json = try? JSONValue(decoding: Array(line).span).object,
      let time = json["time"]?.string.flatMap({ WallTime(rfc3339: $0) })
    else { return nil }
    self.init(time: time, json: json)
  }

  /// The event in one line, escaped for a terminal.
  ///
  /// - Parameter time: formats a moment.
  package func text(time: (WallTime) -> String = { $0.rfc3339 }) -> String {
    let change = [json["from"], json["to"]].compactMap { $0?.string }.joined(separator: " → ")
    let details = [
      "reason", "client", "device", "output", "duration", "frames", "exit", "tty", "pid",
    ]
    .compactMap { key in json[key].map { "\(key) \(Self.plain($0))" } }
    let words = [time(self.time), Self.plain(json["event"] ?? .null), change]
    return PrintableText.escape((words + details).filter { !$0.isEmpty }.joined(separator: "  "))
  }

  private static func plain(_ value: JSONValue) -> String { value.string ?? value.encoded() }
}
