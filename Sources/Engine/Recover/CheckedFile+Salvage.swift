internal import Audio
internal import Files

extension CheckedFile {
  /// The bytes that a format begins with.
  func head() throws(SoundFileError) -> [UInt8] { try bytes(at: 0, upTo: 4) }

  /// Repairs a WAV file, whatever failed before, with the marks where there is room for them; returns its frames.
  func salvageWave(_ cues: [SoundFileCue], _ tags: SoundFileTags) -> FrameCount? {
    guard let other = try? duplicate(), let repaired = try? CheckedFile(other, named: label)
    else { return nil }
    if let whole = try? repaired.recoverWave(cues: cues, tags: tags) { return whole.frames }
    guard let last = try? duplicate(), let plain = try? CheckedFile(last, named: label)
    else { return nil }
    return (try? plain.repairWave())?.frames
  }
}
