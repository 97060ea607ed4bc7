internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import Linux
internal import Store
internal import Takes

extension TakeRecovery {
  /// The most bytes that a start reads before it begins; the rest is left to `recover`.
  private static let mostScanned: Int64 = 1 << 28

  /// Saves what dead sessions left of the file at `path`, and returns what its user should know.
  func clear(_ path: String) -> [String] {
    let (directory, target) = PartFile.split(path)
    store.settle(holding: held)
    var left = Self.mostScanned
    let news = PartSearch(store: store).parts(of: target, in: directory)
      .compactMap { clear($0, reading: &left) }
    if let opened = try? Directory(directory) {
      try? AtomicFile.removeLeftovers(of: target + ".json", in: opened)
    }
    return news
  }

  /// Removes the headers that a session left which died before its first frame; its record names no
  /// part yet.
  func clearStarts(of record: SessionRecord) {
    for part in PartSearch(store: store).starts(of: record) { _ = try? recover(part) }
  }

  private func clear(_ part: InterruptedPart, reading left: inout Int64) -> String? {
    guard let status = try? FileStatus(of: part.path, following: false) else { return nil }
    guard status.owner == Environment.effectiveUser else {
      return "\(quoted(part.path)) belongs to user \(status.owner), and was left alone"
    }
    let isQuick = part.record?.output.map(\.format.isUncompressed) ?? false
    if !isQuick { left -= status.size }
    guard left >= 0 else {
      return "an interrupted recording is in \(quoted(part.path)); \"recorder recover\" saves it"
    }
    do throws(Failure) {
      guard let result = try recover(part).result, let path = result.path else { return nil }
      return "an interrupted recording was saved as \(quoted(path)), \(clock(result.duration))"
    } catch {
      return error.code == .alreadyRecording ? nil : error.message.fact
    }
  }
}
