internal import CommandLine
internal import Control
internal import Linux
internal import Store
internal import Takes

/// Finds the parts of dead sessions.
struct PartSearch {
  let store: SessionStore

  /// The parts in this user's records, in any directory.
  var all: [InterruptedPart] {
    let known = store.interrupted.flatMap { record in
      record.parts.compactMap { InterruptedPart(path: $0, record: record) }
    }
    let dead = store.records.filter { $0.part == nil && !isLive($0) }
    var seen: Set<String> = []
    // A session that died while it set another aside left two records of the other.
    return (known + dead.flatMap(starts)).filter { seen.insert($0.path).inserted }
  }

  /// The headers without sound of a session that died before its record named its part.
  func starts(of record: SessionRecord) -> [InterruptedPart] {
    guard let path = record.path else { return [] }
    let (directory, name) = PartFile.split(path)
    let numbering = NumberedName(name)
    let names = (try? Directory(directory).names()) ?? []
    return names.filter { PartName($0) != nil && numbering.number(of: $0) != nil }.sorted()
      .compactMap { part(in: directory, $0) }.filter { $0.record == nil && isHeader($0.path) }
  }

  private static let largestHeader: Int64 = 1 << 12

  private func isHeader(_ path: String) -> Bool {
    guard let status = try? FileStatus(of: path, following: false) else { return false }
    return status.kind == .regular && status.size < Self.largestHeader
      && status.owner == Environment.effectiveUser
  }

  private func isLive(_ record: SessionRecord) -> Bool {
    SessionName(record.name).map(store.isLive) ?? true
  }

  /// The parts for a path: of a part, of the file that it was going to be, or of all in a
  /// directory.
  func parts(at path: String) throws(Failure) -> [InterruptedPart] {
    let (parent, name) = PartFile.split(path)
    if (try? FileStatus(of: path))?.kind == .directory {
      let found = try names(in: path).filter { PartName($0) != nil }.sorted()
      return found.compactMap { part(in: path, $0) }
    }
    if PartName(name) != nil { return [part(in: parent, name)].compactMap(\.self) }
    return parts(of: name, in: parent)
  }

  /// The parts of the file `target`.
  func parts(of target: String, in directory: String) -> [InterruptedPart] {
    (1...PartName.most).compactMap { part(in: directory, PartName(of: target, $0).text) }
  }

  private func part(in directory: String, _ name: String) -> InterruptedPart? {
    let path = directory.path(of: name)
    guard let status = try? FileStatus(of: path, following: false) else { return nil }
    return InterruptedPart(path: path, record: store.record(ofPart: status, named: name))
  }

  private func names(in path: String) throws(Failure) -> [String] {
    do throws(SystemError) {
      return try Directory(path).names()
    } catch {
      throw Failure(.outputRefused, Message("cannot look in", on: path, why: "\(error.errno)"))
    }
  }
}
