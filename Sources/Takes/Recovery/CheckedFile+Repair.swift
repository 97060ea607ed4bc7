internal import Files

extension CheckedFile {
  /// Returns another object for the open file, or nil if it cannot be created. This object has no
  /// stored failure, so it can be used after a failure of the first object.
  func unlatched() -> CheckedFile? {
    guard let other = try? duplicate() else { return nil }
    return try? CheckedFile(other, named: label)
  }

  /// Writes the marks after the samples of a repaired WAV file. Returns false if this fails. The
  /// file is then finished without marks.
  func mark(_ cues: [SoundFileCue], _ tags: SoundFileTags, after plan: RepairPlan) -> Bool {
    let isMarked = unlatched().map { other in
      (try? WaveRepair.putTail(cues, tags, on: other, after: plan)) != nil
    }
    if isMarked == true { return true }
    var unmarked = plan
    unmarked.isIntact = false
    _ = unlatched().flatMap { [unmarked] in try? unmarked.carryOut(on: $0) }
    return false
  }
}
