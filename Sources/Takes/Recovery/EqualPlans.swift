internal import Audio
internal import Files

/// Repair plans for the files of all tracks. After the repair, all files have the same number of
/// frames.
enum EqualPlans {
  /// Returns a plan for each file, or nil for a file without audio. The number of frames is equal
  /// in all plans.
  ///
  /// All files get the same limit for the number of frames. An encoded file can be cut only at the
  /// end of a block, so it may keep fewer frames than this limit. In this case the limit is lowered
  /// until the numbers are equal.
  ///
  /// - Parameter plans: returns plans in which each file keeps at most the given number of frames.
  static func make<Failure: Error>(
    _ plans: (_ most: FrameCount) throws(Failure) -> [RepairPlan?]
  ) throws(Failure) -> [RepairPlan?] {
    var most = FrameCount.most
    while true {
      let found = try plans(most)
      let counts = found.compactMap { $0?.frames }.filter { $0 > 0 }
      // If a reader ignores the limit, `least < most` is false, and the loop ends.
      guard let least = counts.min(), least < most, counts.contains(where: { $0 > least })
      else { return found }
      most = least
    }
  }
}

extension PartReader {
  /// Reads open parts. Returns one result for each file of each part. A file of raw samples is not
  /// read, because its size shows the number of frames.
  ///
  /// In all files of a part, the number of frames to keep must be equal. If the numbers differ, the
  /// files are read again with a lower limit.
  func read(parts: [OpenPart]) throws -> [[PartReading]] {
    let readings = try read(files: parts.map(\.files))
    return try zip(parts, readings).map { part, readings in
      if part.others.isEmpty { return readings }
      var (found, isFirst) = (readings, true)
      _ = try EqualPlans.make { most in
        if !isFirst { found = try read(files: [part.files.limited(to: most)])[0] }
        isFirst = false
        return found.map(\.repair)
      }
      return found
    }
  }

  private func read(files parts: [[OpenPartFile]]) throws -> [[PartReading]] {
    let files = Array(parts.joined())
    var readings = files.map(\.known)
    let unread = readings.indices.filter { readings[$0] == nil }
    let answers = unread.isEmpty ? [] : try read(unread.map { files[$0].unread })
    for (index, answer) in zip(unread, answers) { readings[index] = answer }
    var rest = readings[...]
    return parts.map { files in
      defer { rest = rest.dropFirst(files.count) }
      return rest.prefix(files.count).map { $0 ?? .unread(nil) }
    }
  }
}

extension [OpenPartFile] {
  /// Returns the files with a limit for the frames to keep.
  fileprivate func limited(to most: FrameCount) -> [OpenPartFile] {
    map { file in
      var file = file
      file.unread.clue.most = most
      return file
    }
  }
}

extension PartReading {
  /// The plan, or nil if there is none.
  var repair: RepairPlan? { if case .plan(let plan) = self { plan } else { nil } }
}

/// A repaired file of a part.
struct RepairedFile {
  let file: OpenPartFile
  let plan: RepairPlan
  let recovery: Recovery
}
