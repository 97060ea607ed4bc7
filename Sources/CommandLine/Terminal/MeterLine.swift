package import Audio
package import Control

/// The state of a recording in one line that is drawn again and again; in ASCII, for any terminal.
package func meterLine(_ status: RecordingStatus, width: Int) -> String {
  let level = Decibels(amplitude: status.level.peak)
  let highest = Decibels(amplitude: status.highestPeak)
  let elapsed = clock(status.frames.onDisk.duration(at: status.stream.rate))
  let head = "\(status.state.label) \(elapsed.dropLast(2)) "
  let clipped = status.level.clipped > 0 ? " CLIP" : ""
  let lost = status.frames.lost > 0 ? "  \(status.frames.lost.value) lost" : ""
  let size = "  \(ByteCount(status.bytes))"
  let tail = " \(shown(level)), max \(shown(highest))\(clipped)\(lost)\(size)"
  let room = width - head.count - tail.count - 2
  guard room >= 8 else { return String((head + tail).prefix(max(0, width))) }
  return head + "[" + bar(level, highest, width: room) + "]" + tail
}

/// The input level in one line that is drawn again and again.
package func levelLine(
  _ level: Level, _ highestPeak: Double, _ elapsed: Duration, width: Int
) -> String {
  let peak = Decibels(amplitude: level.peak)
  let highest = Decibels(amplitude: highestPeak)
  let head = "\(clock(elapsed).dropLast(2)) "
  let tail = " \(shown(peak)), max \(shown(highest))\(level.clipped > 0 ? " CLIP" : "")"
  let room = width - head.count - tail.count - 2
  guard room >= 8 else { return String((head + tail).prefix(max(0, width))) }
  return head + "[" + bar(peak, highest, width: room) + "]" + tail
}

/// The level of a recording as a bar.
func meter(_ status: RecordingStatus, width: Int) -> String {
  let (level, highest) = (status.level.peak, status.highestPeak)
  return "[" + bar(Decibels(amplitude: level), Decibels(amplitude: highest), width: width) + "]"
}

/// The bar from −60 dBFS on the left to full scale on the right, with a mark at the highest peak.
private func bar(_ level: Decibels, _ highest: Decibels, width: Int) -> String {
  let filled = place(of: level, in: width)
  let mark = place(of: highest, in: width) - 1
  return String(
    (0..<width).map { column in column < filled ? "#" : column == mark ? "|" : " " })
}

private func place(of level: Decibels, in width: Int) -> Int {
  let share = (max(-60, min(0, level.value)) + 60) / 60
  return Int((share * Double(width)).rounded())
}

/// The level in the width of `-99.9 dB`, so that the text beside it does not move.
private func shown(_ level: Decibels) -> String {
  let text = level.value.isFinite ? rounded(max(-99.9, level.value), places: 1) + " dB" : "silence"
  return String(repeating: " ", count: max(0, 8 - text.count)) + text
}

/// The level of an amplitude in reports: `-12.3 dBFS`, or `silence`.
func level(_ amplitude: Double) -> String {
  levelText(Decibels(amplitude: amplitude))
}

/// A level in reports: `-12.3 dBFS`, or `silence`.
package func levelText(_ level: Decibels) -> String {
  level.value.isFinite ? rounded(level.value, places: 1) + " dBFS" : "silence"
}

extension RecordingStatus.State {
  fileprivate var label: String {
    switch self {
    case .starting: "WAIT "
    case .armed: "ARMED"
    case .recording: "REC  "
    case .paused: "PAUSE"
    case .finishing: "SAVE "
    }
  }
}
