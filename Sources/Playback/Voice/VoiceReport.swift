package import Audio

/// The state of a voice.
package enum VoiceState: BitwiseCopyable, Hashable, CaseIterable, Sendable {
  /// Silent, at a position from which it can resume.
  case stopped
  /// Rendered in each period, even while muted.
  case playing
  /// As stopped, but by a pause.
  case paused
  /// Played to the end.
  case ended
}

/// The state of a voice after the last period was rendered.
package struct VoiceReport: BitwiseCopyable, Hashable, Sendable {
  /// The state after the last period; `ended` once all frames have left the device, where the
  /// output reports it.
  package var state: VoiceState
  /// The next frame to render.
  package var position: FrameCount
  /// Plays not yet ended, the current one included.
  package var playsLeft: Int
  /// True where the end leads to the beginning.
  package var loops: Bool
  /// The gain, 1 being unchanged, without mute.
  package var volume: Float
  /// True where it is muted.
  package var isMuted: Bool
  /// The largest magnitude of the period, 1 being full scale.
  package var peak: Float
  /// True if it is silent and stays so without a command.
  package var isAtRest: Bool
  /// True if it was given a command that this report does not show yet.
  package internal(set) var isPending = false
  /// CLOCK_MONOTONIC just before the first frame of the latest play was written.
  package var started: Duration? {
    startedNanoseconds.map { .nanoseconds($0) }
  }
  var startedNanoseconds: Int64?
  /// The number of the last order that was carried out.
  var sequence: Int
  /// The frames of the output up to the end of the last period to which the voice added something.
  var lastFrame: Int64 = 0
}

extension VoiceReport {
  /// The same report as of the sound that has left the device, which has played the first `played`
  /// frames of the output.
  func played(upTo played: Int64, length: FrameCount) -> VoiceReport {
    let late = FrameCount(max(0, lastFrame - played))
    guard late > 0, state == .playing || state == .ended else { return self }
    var report = self
    report.state = .playing
    let place = position - late
    report.position = place >= 0 || !loops ? max(0, place) : max(0, place + length)
    return report
  }
}

extension VoiceReport {
  /// The report of a slot that no voice has had.
  static let atRest = VoiceReport(.stopped, isAtRest: true)
  /// The report of a voice whose first period is still to come.
  static let beginning = VoiceReport(.playing, isAtRest: false)
  /// The report of a voice that is to be silent first.
  static let prepared = VoiceReport(.stopped, isAtRest: false)

  private init(_ state: VoiceState, isAtRest: Bool) {
    self.init(
      state: state, position: 0, playsLeft: 1, loops: false, volume: 1, isMuted: false, peak: 0,
      isAtRest: isAtRest, startedNanoseconds: nil, sequence: 0)
  }
}
