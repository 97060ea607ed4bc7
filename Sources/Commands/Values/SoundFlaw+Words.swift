package import Audio

extension SoundFlaw {
  /// The flaw and the number of frames that can be played, worded to follow the name of the file.
  package var finding: String {
    let all = counted(Int(clamping: frames.value), "frame")
    guard isCutShort else {
      let bytes = counted(Int(clamping: trailingBytes), "byte")
      return "\(bytes) after the sound that do not belong to it; all \(all) are there"
    }
    guard let stated else { return "cut short: \(all) are there" }
    if stated == frames { return "cut short after the sound; all \(all) are there" }
    return
      "cut short: \(frames.value) of \(counted(Int(clamping: stated.value), "frame")) are there"
  }

  /// Returns the warning about a file or a sound of the library.
  package func warning(about name: String) -> Message {
    let verb = isCutShort ? "is" : "has"
    return Message("\(quoted(name)) \(verb) \(finding); \(remedy(for: name))")
  }

  private func remedy(for name: String) -> String {
    if name == "-" { return "send the whole file, if there is one" }
    let path = shellArgument(name)
    if isRepairable { return "\"recorder recover \(path)\" writes a repaired copy" }
    return isCutShort
      ? "copy it again from its source, if that is whole"
      : "\"recorder export \(path) NEW-FILE\" writes a copy without them"
  }
}
