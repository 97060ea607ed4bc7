internal import Audio
internal import Control
internal import Linux
internal import Playback

extension PlayerOutput {
  /// The states of all named sounds, and of the sounds that wait for their first play.
  func statuses(_ memory: SoundStore) -> [SoundStatus] {
    var names = Set(known.map { Path($0.name) })
    let waiting = jobs.filter { $0.isWaiting && names.insert(Path($0.name)).inserted }
    return known.map { status(of: $0.name, $0.main, memory) }
      + waiting.map { status(of: $0.name, $0.playback, memory) }
  }

  private func status(
    of name: String, _ playback: SoundPlayback, _ memory: SoundStore
  ) -> SoundStatus {
    let report = playback.report
    var status = SoundStatus(
      name, output: key.device, state: report?.state ?? .stopped,
      position: playback.position ?? .zero, duration: playback.sound?.duration ?? .zero,
      path: playback.source.path ?? name)
    status.volume = Double(playback.volume)
    status.isMuted = report?.isMuted == true || memory.isMuted(name)
    let job = jobs.first { !$0.isOver && $0.playback === playback }
    let isLoop = report?.loops == true || job?.order.loops == true
    status.playsLeft = isLoop ? nil : report?.playsLeft ?? 0
    status.next = job?.next
    status.voices = namedSound(name)?.playbacks.count(where: \.isPlaying) ?? 0
    status.queued = jobs.count { $0.name.isSameName(as: name) && $0.isWaiting }
    status.peak = Decibels(amplitude: Double(report?.state == .playing ? report?.peak ?? 0 : 0))
    return status
  }
}
