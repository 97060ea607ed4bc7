internal import Audio
internal import Control

extension RecordingStatus {
  /// The events that start an armed take, or nil if the take has begun. A paused recording has to
  /// resume first.
  var startText: String? {
    guard isArmed else { return nil }
    let name = argument(of: facts.name)
    let resume = state == .paused ? "recorder resume\(name), then " : ""
    let trigger = "recorder trigger\(name)"
    guard let startOnSound else { return resume + trigger }
    return resume + "a sound of at least \(levelText(startOnSound)), or \(trigger)"
  }

  /// Returns the limits of the take, the rule for new files and the kept files, or nil if there are
  /// none.
  ///
  /// - Parameter series: the name that the kept files share, or nil if it is not known.
  func limitsText(of series: String? = nil) -> String? {
    var (ends, files) = ([String](), [String]())
    if let duration = limits?.duration { ends.append("after \(exactly(duration))") }
    if let split {
      let aligned = split.isAligned ? " (aligned with the local clock)" : ""
      files.append("every \(exactly(split.length))" + aligned)
    }
    if let size = limits?.size {
      let limit = "at \(ByteCount(size))"
      if split == nil { ends.append(limit) } else { files.append(limit) }
    }
    if let stopOnSilence {
      let level = threshold.map { " (below \(levelText($0)))" } ?? ""
      ends.append("after \(exactly(stopOnSilence)) of silence" + level)
    }
    if let accessUntil {
      ends.append("at \(localTime(of: accessUntil)), when the permission expires")
    }
    let owner = series.map { " of \(printable($0))" } ?? ""
    let rules = [
      ends.isEmpty ? nil : "ends " + alternatives(ends),
      files.isEmpty ? nil : "a new file " + alternatives(files),
      keep.map { "keeps \($0.files)\(owner) and deletes older ones" },
    ].compactMap(\.self)
    return rules.isEmpty ? nil : rules.joined(separator: "; ")
  }
}

extension KeepPlan {
  /// The kept files.
  var files: String {
    switch self {
    case .count(1): "the newest file"
    case .count(let count): "the newest \(count) files"
    case .age(let age): "files up to \(exactly(age)) old"
    }
  }
}
