package import Audio

extension SoundFlaw {
  /// The flaw and the number of frames that can be played, worded to follow the name of the file.
  package var finding: String {
    let all = counted(Int(clamping: frames.value), "frame")
    guard isCutShort else {
      let extra = counted(Int(clamping: trailingBytes), "extra byte")
      return "\(extra) at its end; all \(all) are complete"
    }
    guard let stated else { return "cut short: it has \(all)" }
    if stated == frames { return "cut short after the audio; all \(all) are complete" }
    return
      "cut short: it has \(frames.value) of \(counted(Int(clamping: stated.value), "frame"))"
  }

  /// Returns the warning about a file or a sound of the library.
  package func warning(about name: String) -> Message {
    let verb = isCutShort ? "is" : "has"
    return Message("\(quoted(name)) \(verb) \(finding); \(remedy(for: name))")
  }

  private func remedy(for name: String) -> String {
    if name == "-" { return "send the complete file" }
    let path = shellArgument(name)
    if isRepairable { return "\"recorder recover \(path)\" writes a repaired copy" }
    return isCutShort
      ? "copy it again from its source, if that is complete"
      : "\"recorder export \(path) NEW-FILE\" writes a copy without them"
  }
}
