internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import Linux
internal import Store
internal import Takes

extension TakeRecovery {
  /// The most bytes that a start recovers before it begins; the rest is left to `recover`.
  private static let mostScanned: Int64 = 1 << 28

  /// Recovers the parts of dead sessions for the file at `path`, and returns messages for the user.
  func clear(_ path: String) -> [String] {
    let (directory, target) = PartFile.split(path)
    store.settle(holding: held)
    var (left, chosen, news) = (Self.mostScanned, [InterruptedPart](), [String]())
    for part in PartSearch(store: store).parts(of: target, in: directory) {
      switch choice(of: part, reading: &left) {
      case .none: break
      case .left(let why): news.append(why)
      case .recovered: chosen.append(part)
      }
    }
    news += recover(chosen).compactMap(Self.news)
    if let opened = try? Directory(directory) {
      try? AtomicFile.removeLeftovers(of: target + ".json", in: opened)
    }
    return news
  }

  /// Removes the headers of a session that died before its first frame; its record names no part
  /// yet.
  func clearStarts(of record: SessionRecord) {
    _ = recover(PartSearch(store: store).starts(of: record))
  }

  /// The fate of a part at a start.
  private enum Choice {
    case none, recovered
    /// The part is left unchanged, with the reason.
    case left(String)
  }

  private func choice(of part: InterruptedPart, reading left: inout Int64) -> Choice {
    guard let status = try? FileStatus(of: part.path, following: false) else { return .none }
    guard status.owner == Environment.effectiveUser else {
      return .left("\(quoted(part.path)) belongs to user \(status.owner), and was left alone")
    }
    let isQuick = part.record?.output.map(\.format.isUncompressed) ?? false
    if !isQuick { left -= status.size }
    guard left < 0 else { return .recovered }
    return .left(
      "an interrupted recording is in \(quoted(part.path)); \"recorder recover\" saves it")
  }

  private static func news(_ outcome: Result<RecoveredTake, Failure>) -> String? {
    do throws(Failure) {
      guard let result = try outcome.get().result, let path = result.path else { return nil }
      return "an interrupted recording was saved as \(quoted(path)), \(clock(result.duration))"
    } catch {
      return error.code == .alreadyRecording ? nil : error.message.fact
    }
  }
}
