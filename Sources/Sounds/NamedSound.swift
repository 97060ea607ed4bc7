internal import Audio
internal import Playback

/// A name that was played on an output, with its playbacks.
final class NamedSound {
  let name: String
  /// The newest playback, which commands address.
  private(set) var main: SoundPlayback
  /// The earlier playbacks that still play.
  private var others: [SoundPlayback] = []
  /// The number of the latest use; the name with the lowest number is forgotten first.
  var used = 0

  init(_ name: String, _ playback: SoundPlayback) {
    self.name = name
    main = playback
  }

  var playbacks: [SoundPlayback] { others + [main] }

  /// Whether a playback of the name is playing.
  var isPlaying: Bool { playbacks.contains(where: \.isPlaying) }

  /// Whether a playback of the name is paused.
  var isPaused: Bool { playbacks.contains { $0.report?.state == .paused } }

  /// Whether a playback of the name is playing or paused.
  var isActive: Bool { isPlaying || isPaused }

  /// Whether a playback of the name is paused, or stopped at a position from which it can be
  /// resumed.
  var holdsPosition: Bool {
    playbacks.contains { playback in
      guard let report = playback.report else { return false }
      return report.state == .paused || report.state == .stopped && report.position > 0
    }
  }
}

extension NamedSound {
  /// Adds a playback next to the earlier ones.
  func add(_ playback: SoundPlayback) {
    others.append(main)
    main = playback
  }

  /// Releases the earlier playbacks, and continues with this one.
  func replace(with playback: SoundPlayback) {
    release()
    main = playback
  }

  /// Releases all playbacks.
  func release() {
    releaseOthers()
    main.release()
  }

  /// Releases all playbacks except the newest one.
  func releaseOthers() {
    for playback in others { playback.release() }
    others = []
  }

  /// Releases the earlier playbacks that have ended. If the newest one has ended, the latest of the
  /// earlier ones takes its place. If there are no earlier playbacks, the newest one is kept after
  /// its end, because commands can address it.
  ///
  /// - Parameter isUsed: whether an order that has not ended uses a playback.
  func removeEnded(unless isUsed: (SoundPlayback) -> Bool) {
    if others.isEmpty { return }
    func isOver(_ playback: SoundPlayback) -> Bool {
      !isUsed(playback) && playback.report.map { $0.state == .ended } ?? true
    }
    for playback in others where isOver(playback) { playback.release() }
    others.removeAll { !$0.hasVoice }
    guard isOver(main), let last = others.popLast() else { return }
    main.release()
    main = last
  }
}
