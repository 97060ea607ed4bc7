package import Control
package import JSON
package import Linux

/// A file that is whole and is about to get its name, with all that is to be known of it afterwards.
package struct TakeAnnouncement: Hashable, Sendable {
  /// What it will be; its path is the one that is meant, and may become another.
  package var result: RecordingResult
  /// The hidden name that it has until then.
  package var part: String
  /// What tells the file from all others, whatever its name is.
  package var device: UInt64
  package var inode: UInt64
  /// What is to lie beside it, where something is.
  package var sidecar: JSONObject?

  package init(
    _ result: RecordingResult, in part: String, _ status: FileStatus, sidecar: JSONObject? = nil
  ) {
    self.result = result
    self.part = part
    device = status.device
    inode = status.inode
    self.sidecar = sidecar
  }
}

extension TakeAnnouncement: JSONConvertible {
  package init?(json: JSONValue) {
    guard let result = json["result"].flatMap(RecordingResult.init(json:)),
      let part = json["part"]?.string, let device = json["device"].flatMap(UInt64.init(json:)),
      let inode = json["inode"].flatMap(UInt64.init(json:))
    else { return nil }
    self.result = result
    self.part = part
    self.device = device
    self.inode = inode
    sidecar = json["sidecar"]?.object
  }

  package var json: JSONValue {
    var members: JSONObject = ["result": result.json, "part": part.json]
    members.set("device", device)
    members.set("inode", inode)
    members.set("sidecar", sidecar)
    return .object(members)
  }
}

/// Between the moment in which a file gets its name and the line in the catalogue a session can die: then the
/// part is gone, and nothing else knows that the take was saved.
extension SessionStore {
  /// Writes down what a file will be before it gets its name.
  ///
  /// Not brought to the disk: it is for a process that dies, and the catalogue itself is not either.
  package func announce(_ announcement: TakeAnnouncement) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.ending)
    do {
      let name = Self.announcement(of: announcement.result)
      let file = try directory.open(name, [.writeOnly, .create, .truncate, .noFollow])
      let line = Array((announcement.json.encoded() + "\n").utf8)
      try file.writeAll(line.span)
    } catch {
      throw DirectoryRefusal(paths.ending, .system(error))
    }
  }

  /// Enters into the catalogue what sessions named that died before they could.
  ///
  /// - Parameter held: a name whose lock the caller holds, so that it says of no session that it lives.
  package func settle(holding held: SessionName? = nil) {
    guard let directory = try? PrivateDirectory.open(paths.ending),
      let names = try? directory.names(), names.contains(where: { isOver($0, held) }),
      let turn = try? FileLock(on: directory, waitingUpTo: .seconds(1))
    else { return }
    for name in names where isOver(name, held) {
      if let announcement: TakeAnnouncement = read(
        name, in: paths.ending, upTo: Self.largestAnnouncement)
      {
        settle(announcement)
      }
      try? directory.remove(name)
    }
    _ = consume turn
  }

  func withdrawAnnouncement(of result: RecordingResult) {
    remove(Self.announcement(of: result), in: paths.ending)
  }

  /// The name says whose it is, because what is in the file may be cut off.
  private static func announcement(of result: RecordingResult) -> String {
    "\(result.name).\(result.identifier).\(result.segment ?? 1).json"
  }

  // A sidecar with every event of a long take.
  private static var largestAnnouncement: Int { 1 << 28 }

  /// Whether the session that announced a file is dead.
  private func isOver(_ announcement: String, _ held: SessionName?) -> Bool {
    let fields = announcement.split(separator: ".", omittingEmptySubsequences: false)
    guard fields.count > 3, fields.last == "json",
      let name = SessionName(fields.dropLast(3).joined(separator: "."))
    else { return false }
    if name == held || !isLive(name) { return true }
    return record(of: name)?.identifier != String(fields[fields.count - 3])
  }
}

extension SessionStore {
  private func settle(_ announcement: TakeAnnouncement) {
    let (parent, part) = Self.split(announcement.part)
    guard let directory = try? Directory(parent),
      let name = name(of: announcement, in: directory, but: part)
    else { return }
    // Where a link had to take the place of a renaming, both names may be there.
    if (try? directory.status(of: part))?.inode == announcement.inode {
      try? directory.remove(part)
    }
    var result = announcement.result
    result.path = directory.path(of: name)
    complete(&result, announcement, name + ".json", in: directory)
    try? directory.remove(part + ".jsonl")
    let isKnown = takes.contains {
      $0.identifier == result.identifier && $0.path == result.path
    }
    if !isKnown { try? catalogue(result) }
  }

  /// The name that the file got; none where it still has the hidden one alone.
  private func name(
    of announcement: TakeAnnouncement, in directory: borrowing Directory, but part: String
  ) -> String? {
    let meant = announcement.result.path.map { Self.split($0).name }
    var candidates = meant.map { [$0] } ?? []
    for attempt in 0..<2 {
      for name in candidates where name != part {
        let status = try? directory.status(of: name)
        if status?.inode == announcement.inode, status?.device == announcement.device {
          return name
        }
      }
      if attempt == 0 { candidates = (try? directory.names()) ?? [] }
    }
    return nil
  }

  /// Puts beside the file what is missing there.
  private func complete(
    _ result: inout RecordingResult, _ announcement: TakeAnnouncement, _ name: String,
    in directory: borrowing Directory
  ) {
    try? AtomicFile.removeLeftovers(of: name, in: directory)
    guard var sidecar = announcement.sidecar else { return }
    sidecar.set("path", result.path)
    if (try? directory.status(of: name)) == nil {
      let text = Array((JSONValue.object(sidecar).encoded(indented: true) + "\n").utf8)
      guard (try? AtomicFile.write(text.span, to: name, in: directory)) != nil else { return }
    }
    result.sidecar = directory.path(of: name)
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    path.pathParts
  }
}
