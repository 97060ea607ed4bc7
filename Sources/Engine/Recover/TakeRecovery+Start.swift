internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import Linux

extension TakeRecovery {
  /// What a start waits for; larger compressed files have to be read in full, and are left to `recover`.
  private static let mostScanned: Int64 = 1 << 30

  /// Saves what dead sessions left of the file at `path`, and returns what its user should know.
  func clear(_ path: String) -> [String] {
    let (directory, target) = PartFile.split(path)
    shelf.settle(holding: held)
    let news = PartSearch(shelf: shelf).parts(of: target, in: directory).compactMap(clear)
    if let opened = try? Directory(directory) {
      try? AtomicFile.removeLeftovers(of: target + ".json", in: opened)
    }
    return news
  }

  private func clear(_ part: InterruptedPart) -> String? {
    let size = (try? FileStatus(of: part.path, following: false))?.size ?? 0
    let isQuick = part.record?.output.map(\.format.isUncompressed) ?? false
    guard isQuick || size < Self.mostScanned else {
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
