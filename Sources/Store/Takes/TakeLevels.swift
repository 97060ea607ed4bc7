internal import JSON
package import Linux

/// The stored levels that were measured in a take's file.
package struct TakeLevels: Hashable, Sendable {
  /// The integrated loudness in LUFS.
  package let loudness: Double
  /// The highest level between samples in dBTP, or nil if only the loudness was measured.
  package let truePeak: Double?
  /// The time of the last write to the file, in nanoseconds since 1970, or nil if only the loudness
  /// was measured.
  package let modified: Int64?

  /// Creates the levels that were measured in a file with this status.
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

/// The measured loudness of takes, for lists.
package struct TakeLoudness: Sendable {
  private var measured: [TakeKey: (bytes: Int64, levels: TakeLevels)] = [:]

  fileprivate static let file = "loudness.jsonl"
  private static let most = 1 << 26

  /// Creates a value without any loudness.
  package init() {}

  fileprivate init(in directory: borrowing Directory) {
    for json in JSONValue.lines(of: directory.content(of: Self.file, upTo: Self.most) ?? []) {
      guard let identifier = json["id"]?.string, let size = json["bytes"]?.integer(in: .sizes),
        let levels = TakeLevels(json: json)
      else { continue }
      let segment = json["segment"]?.integer(in: .ordinals) ?? 1
      measured[TakeKey(identifier: identifier, segment: segment)] = (size, levels)
    }
  }

  /// True if no loudness is known.
  package var isEmpty: Bool { measured.isEmpty }

  /// The integrated loudness in LUFS, or nil if it was not measured in this file.
  package subscript(_ take: ListedTake) -> Double? { levels(of: take)?.loudness }

  /// Returns the measured levels of a take, or nil if they are not known. Levels that were measured
  /// when the file had another size do not count.
  fileprivate func levels(of take: ListedTake) -> TakeLevels? {
    guard !measured.isEmpty, take.host == nil, take.state == .whole || take.state == .trashed,
      let found = measured[take.row.key], found.bytes == take.row.bytes
    else { return nil }
    return found.levels
  }

  fileprivate static func line(_ levels: TakeLevels, of take: ListedTake) -> JSONObject {
    var members: JSONObject = ["id": take.row.identifier.json]
    members.set("segment", take.row.segment)
    members["bytes"] = take.row.bytes.json
    members["loudness"] = .number(levels.loudness)
    members.set("truePeak", levels.truePeak)
    members.set("modified", levels.modified)
    return members
  }
}

extension TakeCatalogue {
  /// The measured loudness of the takes of this machine.
  package var loudness: TakeLoudness {
    guard let directory = open() else { return TakeLoudness() }
    return TakeLoudness(in: directory)
  }

  /// Returns the measured levels of a take, or nil if a level is not known, or if the file was
  /// written to after the measurement.
  package func levels(of take: ListedTake, _ file: FileStatus) -> TakeLevels? {
    guard take.state == .whole, let levels = loudness.levels(of: take), levels.truePeak != nil,
      file.size == take.row.bytes, levels.modified == FileTrace(file).modified
    else { return nil }
    return levels
  }

  /// Stores the levels of a take. Does nothing if the same levels are already stored, or if the
  /// file has changed.
  package func note(_ levels: TakeLevels, of take: ListedTake) throws(DirectoryRefusal) {
    guard take.host == nil, take.state == .whole, loudness.levels(of: take) != levels else {
      return
    }
    let directory = try PrivateDirectory.make(at: store.paths.state)
    try DirectoryRefusal.of(directory.path) { () throws(SystemError) in
      _ = try directory.append(TakeLoudness.line(levels, of: take), to: TakeLoudness.file)
    }
  }
}
