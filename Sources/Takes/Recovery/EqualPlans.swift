internal import Audio
internal import Files

/// Repairs of the files of all tracks that leave the same number of frames in each.
enum EqualPlans {
  /// Returns the plans: one for each file, or nil for a file without audio. All files that keep
  /// frames keep the same number.
  ///
  /// An encoded file can be cut only at the end of a block, so it may keep fewer frames than the
  /// limit. Then the limit of all files is lowered, until all keep the same number.
  ///
  /// - Parameter plans: makes plans with which each file keeps at most this number of frames.
  static func make<Failure: Error>(
    _ plans: (_ most: FrameCount) throws(Failure) -> [RepairPlan?]
  ) throws(Failure) -> [RepairPlan?] {
    var most = FrameCount.most
    while true {
      let found = try plans(most)
      let counts = found.compactMap { $0?.frames }.filter { $0 > 0 }
      // `least < most` ends the loop if a reader ignores the limit.
      guard let least = counts.min(), least < most, counts.contains(where: { $0 > least })
      else { return found }
      most = least
    }
  }
}

extension PartReader {
  /// Reads open parts. Returns the results for each part, one for each of its files. The frames of
  /// raw samples are counted by the size of the file.
  ///
  /// The files of a take must have the same number of frames. If they differ, they are read again
  /// with a lower limit.
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

/// A file of a part that was repaired.
struct RepairedFile {
  let file: OpenPartFile
  let plan: RepairPlan
  let recovery: Recovery
}
