internal import Audio
internal import Playback

/// A sound that was played on an output by its name, with all its playbacks.
final class NamedSound {
  let name: String
  /// The newest playback. Seek, rewind and replay apply only to this playback.
  private(set) var main: SoundPlayback
  /// The earlier playbacks that have not ended.
  private var others: [SoundPlayback] = []
  /// The number of the latest use. The named sound with the lowest number is removed first.
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
  /// Adds a playback. The earlier playbacks continue.
  func add(_ playback: SoundPlayback) {
    others.append(main)
    main = playback
  }

  /// Releases all playbacks, and makes `playback` the only playback.
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

  /// Releases the earlier playbacks that have ended. If the newest playback has ended, the latest
  /// of the earlier playbacks replaces it. Without earlier playbacks, the newest playback is kept
  /// after its end, because commands can still apply to it.
  ///
  /// - Parameter isUsed: returns whether an order that has not ended uses a playback.
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
