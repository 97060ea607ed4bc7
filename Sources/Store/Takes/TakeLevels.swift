internal import JSON
package import Linux

/// The measured levels of a take's file that are remembered.
package struct TakeLevels: Hashable, Sendable {
  /// The integrated loudness in LUFS.
  package let loudness: Double
  /// The highest level between samples in dBTP; nil if only the loudness was measured.
  package let truePeak: Double?
  /// The time at which the file was written last, in nanoseconds since 1970; nil as above.
  package let modified: Int64?

  /// The levels that were measured of a file in this state.
  package init(loudness: Double, truePeak: Double? = nil, of file: FileStatus? = nil) {
    self.loudness = loudness
    self.truePeak = truePeak
    modified = file.map { FileTrace($0).modified }
  }

  fileprivate init?(json: JSONValue) {
    guard let loudness = json["loudness"]?.number, loudness.isFinite else { return nil }
    self.loudness = loudness
    truePeak = json["truePeak"]?.number
    modified = json["modified"].flatMap(Int64.init(json:))
  }
}

/// The loudness of takes that was measured, as lists show it.
package struct TakeLoudness: Sendable {
  private var measured: [TakeKey: (bytes: Int64, levels: TakeLevels)] = [:]

  fileprivate static let file = "loudness.jsonl"
  private static let most = 1 << 26

  /// No loudness is known.
  package init() {}

  fileprivate init(in directory: borrowing Directory) {
    guard let file = try? directory.open(Self.file, [.noFollow, .nonBlocking]),
      let bytes = try? file.readAll(upTo: Self.most)
    else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let json = try? JSONValue(decoding: Array(line).span),
        let identifier = json["id"]?.string, let size = json["bytes"]?.integer(in: .sizes),
        let levels = TakeLevels(json: json)
      else { continue }
      let segment = json["segment"]?.integer(in: .ordinals) ?? 1
      measured[TakeKey(identifier: identifier, segment: segment)] = (size, levels)
    }
  }

  /// True where none is known.
  package var isEmpty: Bool { measured.isEmpty }

  /// The integrated loudness in LUFS; nil where it was not measured, and where the file is not the
  /// one that was.
  package subscript(_ take: ListedTake) -> Double? { levels(of: take)?.loudness }

  /// The levels of a take whose file has the size that it was saved with.
  fileprivate func levels(of take: ListedTake) -> TakeLevels? {
    guard !measured.isEmpty, take.host == nil, take.state == .whole || take.state == .trashed,
      let found = measured[take.row.key], found.bytes == take.row.bytes
    else { return nil }
    return found.levels
  }

  fileprivate static func line(_ levels: TakeLevels, of take: ListedTake) -> String {
    var members: JSONObject = ["id": take.row.identifier.json]
    members.set("segment", take.row.segment)
    members["bytes"] = take.row.bytes.json
    members["loudness"] = .number(levels.loudness)
    members.set("truePeak", levels.truePeak)
    members.set("modified", levels.modified)
    return JSONValue.object(members).encoded()
  }
}

extension SessionStore {
  /// The measured loudness of the takes of this machine.
  package var loudness: TakeLoudness {
    guard let directory = try? PrivateDirectory.open(paths.state) else { return TakeLoudness() }
    return TakeLoudness(in: directory)
  }

  /// The measured levels of a take whose file nobody has written to since; nil where they are not
  /// known in whole.
  package func levels(of take: ListedTake, _ file: FileStatus) -> TakeLevels? {
    guard take.state == .whole, let levels = loudness.levels(of: take), levels.truePeak != nil,
      file.size == take.row.bytes, levels.modified == FileTrace(file).modified
    else { return nil }
    return levels
  }

  /// Remembers the levels of a take whose file is as it was saved, unless they are known.
  package func note(_ levels: TakeLevels, of take: ListedTake) throws(DirectoryRefusal) {
    guard take.host == nil, take.state == .whole, loudness.levels(of: take) != levels else {
      return
    }
    let directory = try PrivateDirectory.make(at: paths.state)
    do {
      let file = try directory.open(
        TakeLoudness.file, [.readWrite, .create, .append, .noFollow, .nonBlocking])
      try file.append(line: TakeLoudness.line(levels, of: take))
    } catch {
      throw DirectoryRefusal(paths.state, .system(error))
    }
  }
}
