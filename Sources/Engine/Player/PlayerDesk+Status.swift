internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Playback

extension PlayerDesk {
  /// What every sound does.
  var status: JSONObject {
    let devices = outputs.compactMap { place -> JSONValue? in
      guard let output = place.output else { return nil }
      return [
        "device": place.key.device.json, "rate": output.format.rate.hertz.json,
        "channels": output.format.channels.value.json, "underruns": output.underruns.json,
      ]
    }
    return ["sounds": outputs.flatMap(statuses).json, "outputs": .array(devices)]
  }

  /// What the sounds do that a command was about.
  func statuses(of command: SoundCommand) -> [SoundStatus] {
    outputs.flatMap { output -> [SoundStatus] in
      guard command.device == nil || command.device == output.key.device else { return [] }
      return statuses(output).filter { command.name == nil || $0.name == command.name }
    }
  }

  private func statuses(_ place: PlayerOutput) -> [SoundStatus] {
    guard let output = place.output else { return [] }
    return place.known.compactMap { track in
      guard let report = output.report(of: track.main) else { return nil }
      return status(track, report, place, output)
    }
  }

  private func status(
    _ track: Track, _ report: VoiceReport, _ place: PlayerOutput, _ output: Output
  ) -> SoundStatus {
    var status = SoundStatus(
      track.name, output: place.key.device, state: SoundStatus.State(report.state),
      position: report.position.duration(at: output.format.rate), duration: track.length,
      path: track.path)
    status.volume = Double(track.volume)
    status.isMuted = report.isMuted || memory.isMuted(track.name)
    status.playsLeft = report.loops ? nil : report.playsLeft
    let heard = track.voices.filter { output.report(of: $0)?.state == .playing }
    status.voices = heard.count
    status.queued =
      place.jobs.filter { $0.sound.name == track.name && $0.voice == nil && !$0.isOver }.count
    status.peak = Decibels(amplitude: Double(report.state == .playing ? report.peak : 0))
    return status
  }
}

extension SoundStatus.State {
  init(_ state: VoiceState) {
    self =
      switch state {
      case .stopped: .stopped
      case .playing: .playing
      case .paused: .paused
      case .ended: .ended
      }
  }
}
