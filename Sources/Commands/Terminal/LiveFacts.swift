package import Audio
package import Control
internal import Linux

extension LiveView {
  /// Creates the view of a recording.
  ///
  /// - Parameter hold: the held peaks, which already include the levels of `status`.
  package init(_ status: RecordingStatus, _ hold: PeakHold) {
    title = printable(status.name)
    state = status.state.label
    time = tenths(status.frames.onDisk.duration(at: status.stream.rate))
    subject = printable(status.path ?? "stdout")
    bars = Self.levels(
      status.meters, hold, highest: status.highestPeak, of: status.meteredTracks)
    facts = status.startText.map { [Fact(text: "waits for \($0)")] } ?? []
    facts.append(Fact(text: "written \(ByteCount(status.bytes))"))
    facts += Self.losses(status.frames.lost.value, clipped: status.totalClipped)
    if let free = Self.free(status.freeBytes, status.freeSeconds) { facts.append(free) }
    if status.marks > 0 { facts.append(Fact(text: counted(status.marks, "mark"))) }
    if let until = status.accessUntil { facts.append(Self.access(until: until)) }
    let devices = status.tracks.map(\.deviceText).joined(separator: ", ")
    settings = ["device \(devices)", "\(status.stream)"]
    let isOther = status.facts.file.map { $0 != status.stream } ?? false
    settings.append("format " + (isOther ? status.fileFormat : "\(status.facts.format)"))
  }

  /// Creates the view of a meter, which writes nothing.
  package init(
    of device: String, elapsed: Duration, _ level: Level, _ channels: [Level], _ hold: PeakHold,
    lost: Int64, clipped: Int, accessUntil: Duration?
  ) {
    title = "meter"
    state = ""
    time = tenths(elapsed)
    subject = printable(device)
    bars = Self.levels(channels.isEmpty ? [level] : channels, hold, highest: level.peak)
    facts = Self.losses(lost, clipped: clipped)
    if let accessUntil { facts.append(Self.access(until: accessUntil)) }
  }

  /// Creates the view of a sound of the player.
  package init(_ sound: SoundStatus) {
    title = printable(sound.name.pathNames.last ?? sound.name)
    state = sound.state.label
    time = tenths(sound.position)
    length = " of \(tenths(sound.duration))"
    subject = sound.output == "default" ? "" : printable(sound.output)
    let share = sound.duration > .zero ? sound.position / sound.duration : 0
    bars = [
      Bar(
        label: "position", share: share,
        reading: rounded(min(1, share) * 100, places: 0) + " %", isLevel: false)
    ]
    if sound.state == .playing {
      bars.append(
        Bar(
          label: "level", share: Self.share(sound.peak), reading: shown(sound.peak), isLevel: true))
    }
    let volume = "volume " + volumeText(sound.volume)
    facts = [Fact(text: sound.isMuted ? "muted" : volume, isAlarm: sound.isMuted)]
    facts += sound.plays.map { Fact(text: $0) }
  }

  /// Returns a bar for each level. The levels are those of the `tracks`, or of the channels if
  /// there are no tracks.
  private static func levels(
    _ levels: [Level], _ hold: PeakHold, highest: Double, of tracks: [Track] = []
  ) -> [Bar] {
    let isHeld = hold.recent.count == levels.count
    let labels =
      tracks.isEmpty
      ? levels.indices.map { levels.count > 1 ? "\($0 + 1)" : "" }
      : tracks.map { printable($0.name ?? "") }
    return levels.enumerated().map { channel, level in
      let peak = Decibels(amplitude: level.peak)
      let held = isHeld ? hold.recent[channel] : highest
      let most = isHeld && levels.count > 1 ? hold.highest[channel] : highest
      return Bar(
        label: labels[channel], share: share(peak),
        held: share(Decibels(amplitude: held)), reading: shown(peak),
        detail: "max " + shown(Decibels(amplitude: most)), isLevel: true)
    }
  }

  /// Returns the share of the bar that a level fills. The bar extends from −60 dBFS to full scale.
  private static func share(_ level: Decibels) -> Double {
    (max(-60, min(0, level.value)) + 60) / 60
  }

  private static func losses(_ lost: Int64, clipped: Int) -> [Fact] {
    [
      Fact(text: "lost \(lost)", isAlarm: lost > 0),
      Fact(text: "clipped \(clipped)", isAlarm: clipped > 0),
    ]
  }

  private static func free(_ bytes: Int64?, _ seconds: Double?) -> Fact? {
    guard let seconds else { return nil }
    let time = roughly(.seconds(min(seconds, 1e9)))
    let size = bytes.map { "\(ByteCount($0)) " } ?? ""
    return Fact(text: "free \(size)(\(time))", isAlarm: seconds < 60)
  }

  private static func access(until moment: Duration) -> Fact {
    Fact(text: "allowed until " + (WallTime(sinceEpoch: moment).local("%H:%M:%S") ?? ""))
  }
}

/// Formats a duration with tenths of a second: `0:01.5`.
func tenths(_ duration: Duration) -> String { String(clock(max(.zero, duration)).dropLast(2)) }

/// Formats a level in the width of `-99.9 dB`, so that the text next to it does not move.
private func shown(_ level: Decibels) -> String {
  let text = level.value.isFinite ? rounded(max(-99.9, level.value), places: 1) + " dB" : "silence"
  return String(repeating: " ", count: max(0, 8 - text.count)) + text
}

/// Formats the level of an amplitude for reports: `-12.3 dBFS`, or `silence`.
func level(_ amplitude: Double) -> String {
  levelText(Decibels(amplitude: amplitude))
}

extension RecordingStatus {
  /// The level of each track, or of each channel of a take without tracks. If the session sends no
  /// levels of channels, the only element is the level of all channels together. Empty if nothing
  /// is measured.
  package var meters: [Level] {
    guard let level else { return [] }
    let tracks = trackMeters
    return !tracks.isEmpty ? tracks : channels.isEmpty ? [level] : channels
  }

  /// The level of each track; empty for a take without tracks and for a mix.
  var trackMeters: [Level] {
    meteredTracks.map { track in Array(channels[track.channels ?? 0..<0]).merged }
  }

  /// The tracks; empty for a take without tracks and for a mix.
  fileprivate var meteredTracks: [Track] {
    let tracks = facts.tracks.named ?? []
    let isKnown = tracks.allSatisfy { ($0.channels?.upperBound ?? .max) <= channels.count }
    return isKnown ? tracks : []
  }
}

extension RecordingStatus.State {
  fileprivate var label: String {
    switch self {
    case .starting: "WAIT"
    case .armed: "ARMED"
    case .recording: "REC"
    case .paused: "PAUSE"
    case .finishing: "SAVE"
    }
  }
}

extension PlaybackState {
  fileprivate var label: String {
    switch self {
    case .stopped: "STOP"
    case .playing: "PLAY"
    case .paused: "PAUSE"
    case .ended: "END"
    }
  }
}

/// The peaks that a meter holds for each channel: the recent peaks and the highest ones.
package struct PeakHold: Hashable, Sendable {
  /// A peak, and the time at which the meter began to hold it.
  private struct Held: Hashable {
    var peak: Double
    var since: Duration
  }

  /// The time for which a peak is held.
  package static let length = Duration.seconds(2)

  private var held: [Held] = []
  /// The highest peak of each channel so far.
  package private(set) var highest: [Double] = []

  /// Creates a hold without peaks.
  package init() {}

  /// The held peak of each channel.
  package var recent: [Double] { held.map(\.peak) }

  /// Adds the levels of all channels at the time `now`. If the number of channels changes, the hold
  /// starts again with these levels. If `levels` is empty, no peak changes.
  package mutating func hold(_ levels: [Level], at now: Duration) {
    if levels.isEmpty { return }
    if levels.count != held.count {
      held = levels.map { Held(peak: $0.peak, since: now) }
      highest = levels.map(\.peak)
    }
    for (channel, level) in levels.enumerated() {
      let isOver = now - held[channel].since >= Self.length
      if level.peak >= held[channel].peak || isOver {
        held[channel] = Held(peak: level.peak, since: now)
      }
      highest[channel] = max(highest[channel], level.peak)
    }
  }
}
