package import Audio

/// The state of a voice after the last rendered period.
package struct VoiceReport: BitwiseCopyable, Hashable, Sendable {
  /// The state after the last period. In a report from `Output.report(of:)`, `ended` means that all
  /// frames have left the device's buffer.
  package var state: PlaybackState
  /// The next frame to render. In a report from `Output.report(of:)`, the next frame to leave the
  /// device's buffer.
  package var position: FrameCount
  /// The number of plays that have not ended, including the current one.
  package var playsLeft: Int
  /// Whether the sound continues at its beginning after its end.
  package var loops: Bool
  /// The gain. At 1, the samples are unchanged. Mute does not change the gain.
  package var volume: Float
  /// Whether the voice is muted.
  package var isMuted: Bool
  /// The largest magnitude of a sample in the period. 1 is full scale.
  package var peak: Float
  /// The loudness of each channel, if it is measured.
  package var levels = VoiceLevels.silence
  /// Whether the voice is silent and stays silent until it gets a command.
  package var isAtRest: Bool
  /// Whether commands to the voice were still waiting when the voice made this report.
  package internal(set) var isPending = false
  /// True if all frames of the voice have left the device's buffer, and no frame follows until the
  /// voice gets a command.
  package internal(set) var isSilent = false
  /// The value of CLOCK_MONOTONIC just before the first frame of the latest play was written, or
  /// nil if no frame was written.
  package var started: Duration? {
    startedNanoseconds.map { .nanoseconds($0) }
  }
  var startedNanoseconds: Int64?
  /// The number of the last order that was carried out.
  var sequence: Int
  /// The output position, in frames, at the end of the last period that the voice contributed to.
  var lastFrame: Int64 = 0
  /// The number of frames rendered since the voice last started or jumped.
  var rendered = 0
}

extension VoiceReport {
  /// Returns this report without the effect of frames that are still in the device's buffer. The
  /// first `played` frames of the output have left the buffer.
  func played(upTo played: Int64, length: FrameCount) -> VoiceReport {
    let late = FrameCount(max(0, lastFrame - played))
    var report = self
    report.isSilent = isAtRest && late == 0
    guard late > 0, state == .playing || state == .ended else { return report }
    report.state = .playing
    // Subtract at most `rendered` frames: before these frames, the voice was at another position.
    let frame = position - min(late, FrameCount(rendered))
    report.position = frame >= 0 || !loops ? max(0, frame) : max(0, frame + length)
    return report
  }
}

extension VoiceReport {
  /// The report of a slot that no voice has used yet.
  static let atRest = VoiceReport(.stopped, isAtRest: true)
  /// The report of a voice that starts immediately, before its first period.
  static let beginning = VoiceReport(.playing, isAtRest: false)
  /// The report of a voice that waits for commands, before its first period.
  static let prepared = VoiceReport(.stopped, isAtRest: false)

  private init(_ state: PlaybackState, isAtRest: Bool) {
    self.init(
      state: state, position: 0, playsLeft: 1, loops: false, volume: 1, isMuted: false, peak: 0,
      isAtRest: isAtRest, startedNanoseconds: nil, sequence: 0)
  }
}
